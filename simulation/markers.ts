import type { Markers } from '../test/rigs/privacy/markers.js';

/**
 * What people enter. Private values can be found again wherever they turn up. The same in every run, so that a run can be repeated.
 * What people write has such values in it.
 */
export const MARKERS = {
  dba: 'Marked-dba',
  application: 'Marked-application',
  reason: 'Marked-why 132-54-7698',
  noteAnswer: 'Marked-sent 54-1632987',
  ticketAnswer: 'Marked-told (518) 555-1234',
  firstName: 'Marked-first',
  familyName: 'Marked-family',
  ownerName: 'Marked-owner',
  legalName: 'Marked-legal',
  ssn: '132547698',
  ownerSsn: '231456987',
  correctedSsn: '312645879',
  ein: '435261798',
  dateOfBirth: '1961-02-13T04:25:36Z',
  ownerDateOfBirth: '1971-11-23T05:26:37Z',
  email: 'marked-mail@example.com',
  merchantEmail: 'marked-merchant@example.com',
  phone: '5185551234',
  businessPhone: '2125551234',
  ownerPhone: '6465551234',
  street: '11 Marked-street',
  homeStreet: '12 Marked-home',
  ownerStreet: '13 Marked-street',
  actor: 'Marked-actor',
  password: 'sandbox',
  deviceToken: 'Marked-device',
  code: '123456',
} as unknown as Markers;

/** All but the names of businesses and of who acted, the password, which is also the name of a user, and what nobody enters. */
export const PRIVATE: Readonly<Record<string, string>> = (({ dba, actor, password, code, ...rest }) => rest)(
  MARKERS,
);
