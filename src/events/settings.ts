import { z } from 'zod';
import { BadSetting, flag, isSecureOrLoopback, list, signingSecrets } from '../settings/settings.js';
import { type Destination, destinationOf, type SenderOptions } from './sender.js';

export const eventSettings = z.object({
  EVENTS_URLS: list
    .refine((urls) => urls.every((text) => URL.canParse(text)), 'each must be a URL')
    .default([])
    .meta({
      description:
        'Where outbound events go: https, or http to this machine with `EVENTS_TO_LOOPBACK=true`. A URL may hold a key, so it is treated as a secret.',
      secret: true,
    }),
  EVENTS_SECRETS: signingSecrets
    .default([])
    .describe(
      'Secrets that sign outbound events; several while they are rotated. Required with `EVENTS_URLS`.',
    ),
  EVENTS_TO_LOOPBACK: flag.describe(
    'Allows outbound events to this machine. Other private addresses are always rejected.',
  ),
});

/** Where outbound events go. */
export interface EventSettings extends SenderOptions {
  readonly destinations: readonly Destination[];
}

/** Outbound events are signed, and go to https only, or to this machine where that is allowed. @throws {BadSetting} */
export function eventsFrom(set: z.output<typeof eventSettings>): EventSettings {
  const { EVENTS_URLS: urls, EVENTS_SECRETS: secrets, EVENTS_TO_LOOPBACK: toLoopback } = set;
  const isAllowed = (url: URL) => url.protocol === 'https:' || (toLoopback && isSecureOrLoopback(url));
  if (!urls.every((url) => isAllowed(new URL(url)))) {
    throw new BadSetting(
      'EVENTS_URLS',
      'each must be https (http only to loopback, with EVENTS_TO_LOOPBACK=true)',
    );
  }
  if (urls.length > 0 && secrets.length === 0) throw new BadSetting('EVENTS_SECRETS', 'is not set');
  return { secrets, toLoopback, destinations: urls.map(destinationOf) };
}
