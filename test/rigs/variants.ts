/**
 * What the gate runs, and with `EVERY_VARIANT=1`, as every night, `more` of the same: other widths, browsers without scripts,
 * longer lists, more pages.
 */
export function variants<Variant>(gate: readonly Variant[], more: readonly Variant[]): readonly Variant[] {
  return process.env['EVERY_VARIANT'] ? [...gate, ...more] : gate;
}
