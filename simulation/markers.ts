import type { Markers } from '../test/rigs/privacy/markers.js';

const words = [
  'dba',
  'application',
  'note',
  'noteAnswer',
  'ticket',
  'ticketAnswer',
  'reason',
  'comment',
] as const;

/** What people enter. Private values can be found again wherever they turn up. The same in every run, so that a run can be repeated. */
export const MARKERS = {
  ...Object.fromEntries(words.map((name) => [name, `Marked-${name}`])),
  ...{
    firstName: 'Marked-first',
    familyName: 'Marked-family',
    ownerName: 'Marked-owner',
    legalName: 'Marked-legal',
  },
  ...{
    ssn: '132547698',
    ownerSsn: '231456987',
    correctedSsn: '312645879',
    ein: '435261798',
    taxId: '541632987',
  },
  ...{ dateOfBirth: '1961-02-13T04:25:36Z', ownerDateOfBirth: '1971-11-23T05:26:37Z' },
  ...{ email: 'marked-mail@example.com', merchantEmail: 'marked-merchant@example.com' },
  ...{ adminEmail: 'marked-admin@example.com', phone: '5185551234', businessPhone: '2125551234' },
  ...{ ownerPhone: '6465551234', street: '11 Marked-street', homeStreet: '12 Marked-home' },
  ...{ ownerStreet: '13 Marked-street', accountStreet: '14 Marked-account', actor: 'Marked-actor' },
  ...{ password: 'sandbox', deviceToken: 'Marked-device', code: '123456' },
} as unknown as Markers;
