import { randomInt, randomUUID } from 'node:crypto';

const digits = (count: number) => Array.from({ length: count }, () => randomInt(1, 9)).join('');
const word = (field: string) => `${field}-${randomUUID().slice(0, 13)}`;

/** A value for each private field that is nowhere else in the world, so that wherever it turns up, it leaked. */
export function markers() {
  return {
    // Not 666, not 9..., no group of zeros: valid by the contract's pattern.
    ssn: `1${digits(8)}`,
    ownerSsn: `2${digits(8)}`,
    correctedSsn: `3${digits(8)}`,
    ein: `4${digits(8)}`,
    dateOfBirth: `19${randomInt(50, 99)}-0${randomInt(1, 9)}-1${randomInt(0, 9)}T0${randomInt(1, 9)}:${randomInt(10, 59)}:${randomInt(10, 59)}Z`,
    ownerDateOfBirth: `19${randomInt(50, 99)}-1${randomInt(0, 2)}-2${randomInt(0, 7)}T0${randomInt(1, 9)}:${randomInt(10, 59)}:${randomInt(10, 59)}Z`,
    email: `${word('mail')}@example.com`,
    merchantEmail: `${word('merchant')}@example.com`,
    phone: `518555${digits(4)}`,
    businessPhone: `212555${digits(4)}`,
    ownerPhone: `646555${digits(4)}`,
    street: `${digits(2)} ${word('Street')}`,
    homeStreet: `${digits(2)} ${word('Home')}`,
    ownerStreet: `${digits(2)} ${word('Owner')}`,
    firstName: word('First'),
    familyName: word('Family'),
    ownerName: word('Owner'),
    legalName: word('Legal'),
    dba: word('Dba'),
    application: word('Application'),
    note: word('Note'),
    noteAnswer: word('Answer'),
    ticket: word('Ticket'),
    ticketAnswer: word('Reply'),
    actor: word('Actor'),
    reason: word('Reason'),
    accountStreet: `${digits(2)} ${word('Account')}`,
    adminEmail: `${word('admin')}@example.com`,
    taxId: `5${digits(8)}`,
    password: word('Password'),
    deviceToken: word('Device'),
    code: word('Code'),
    comment: word('Comment'),
  } as const;
}

export type Markers = ReturnType<typeof markers>;

/** In which ways a value may stand somewhere: as it is, in base64 at each of its three offsets, in UTF-16, in hex. */
export function disguises(value: string): readonly Buffer[] {
  const bytes = Buffer.from(value);
  const base64 = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    // Without the characters that depend on what stands before and after.
    return encoded
      .slice(offset === 0 ? 0 : offset + 1)
      .replace(/=+$/, '')
      .slice(0, -1);
  });
  return [
    bytes,
    Buffer.from(value, 'utf16le'),
    Buffer.from(bytes.toString('hex')),
    ...base64.map((text) => Buffer.from(text)),
  ];
}

/** The names of the markers that are found in some bytes. */
export function found(searched: Buffer, wanted: Readonly<Record<string, string>>): string[] {
  return Object.entries(wanted)
    .filter(([, value]) => disguises(value).some((bytes) => searched.includes(bytes)))
    .map(([name]) => name);
}
