import { onTestFinished } from 'vitest';

/** Behind and ahead of UTC, by hours and by parts of them, with summer time on both halves of the Earth and without. */
export const ZONES = [
  'UTC',
  'America/St_Johns',
  'America/New_York',
  'Asia/Kathmandu',
  'Pacific/Auckland',
] as const;

export type Zone = (typeof ZONES)[number];

/** Makes it the time zone of this machine until the test ends. Node takes over a new `TZ` at once. */
export function machineIn(zone: Zone): void {
  const { TZ } = process.env;
  process.env['TZ'] = zone;
  onTestFinished(() => {
    if (TZ === undefined) delete process.env['TZ'];
    else process.env['TZ'] = TZ;
  });
}
