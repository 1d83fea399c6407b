import { randomInt, randomUUID } from 'node:crypto';

const digits = (count: number) => Array.from({ length: count }, () => randomInt(1, 9)).join('');
const word = (field: string) => `${field}-${randomUUID().slice(0, 13)}`;

/** A unique value for each private field: wherever it turns up, it leaked. */
export function markers() {
  return {
    // Not 666, not 9..., and no group of zeros, as the contract's pattern requires.
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
    application: `${word('Application')} "Ärger" & <Söhne>`,
    note: word('Note'),
    noteAnswer: word('Answer'),
    ticket: word('Ticket'),
    ticketAnswer: word('Reply'),
    actor: word('Actor'),
    reason: word('Reason'),
    password: word('Password'),
    deviceToken: word('Device'),
    code: word('Code'),
    comment: word('Comment'),
  } as const;
}

/** Settings with secrets, also where they do not belong: in a misspelled name, and in an address. */
export function settingMarkers() {
  return {
    BOARDING_USERNAME: word('User'),
    BOARDING_PASWORD: word('Typed'),
    BANKING_TOTP_SECRET: Buffer.from(word('Totp'))
      .toString('hex')
      .toUpperCase()
      .replace(/[0189]/g, 'A'),
    PLANT_STORE_TOKEN: word('Plant'),
    PROCESSOR_API_KEY: word('Processor'),
    RECEIVER_BANKING_AUTH: `path:${randomUUID()}`,
    CONSOLE_SESSION_KEYS: randomUUID(),
    OIDC_CLIENT_SECRET: word('Client'),
    BANKING_PARTNER_ID: word('Partner'),
    AWS_SECRET_ACCESS_KEY: word('Bucket'),
    GANGWAY_UI_URL: `https://${word('Url')}@temporal.example.com/`,
  } as const;
}

export type Markers = ReturnType<typeof markers>;

/** The bytes of a value in UTF-16, and in base64 at each of its three offsets. */
function exactForms(value: string): readonly Buffer[] {
  const bytes = Buffer.from(value);
  const base64 = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    // Without the characters that depend on the bytes before and after.
    return encoded
      .slice(offset === 0 ? 0 : offset + 1)
      .replace(/=+$/, '')
      .slice(0, -1);
  });
  const inUrls = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [Buffer.from(value, 'utf16le'), ...[...base64, ...inUrls].map((text) => Buffer.from(text))];
}

/** Escaped as in a JSON string. */
function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

/** The text of a value as in URLs, JSON, HTML and hex, backwards, and as people divide numbers. The search ignores its case. */
function writtenForms(value: string): readonly string[] {
  const json = inJson(value);
  const escaped = json.replace(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const inHtml = value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  const url = encodeURIComponent(value);
  const number = value.replace(/\D/g, '');
  const forms = [...(number.length > 8 ? [number] : []), value, json, inJson(json), escaped, inHtml, url];
  const more = [encodeURIComponent(url), url.replaceAll('%20', '+'), Buffer.from(value).toString('hex')];
  return [...new Set([...forms, ...more, [...value].reverse().join(''), ...divided(value)])].filter(
    (form) => form.length > 1,
  );
}

/** A number as people divide it: 123-45-6789, 12-3456789, (518) 555-0100. */
function divided(value: string): string[] {
  if (!/^\d{9,10}$/.test(value)) return [];
  const groups = value.length === 9 ? [/(...)(..)(....)/, /(..)(.......)/] : [/(...)(...)(....)/];
  const parts = groups.map((pattern) => (pattern.exec(value) ?? []).slice(1));
  const signs = ['-', '.', ' ', '/', '_', ':', '\u2011'];
  const [first = '', second = '', third = ''] = parts[0] ?? [];
  return [...parts.flatMap((each) => signs.map((sign) => each.join(sign))), `(${first}) ${second}-${third}`];
}

interface Forms {
  readonly exact: readonly Buffer[];
  /** In lower case. */
  readonly written: readonly Buffer[];
}

/** Made once: a simulation looks for the same values in thousands of runs. */
const record = new Map<string, Forms>();

function formsOf(value: string): Forms {
  const forms = record.get(value) ?? {
    exact: [value, inJson(value)].flatMap(exactForms),
    written: writtenForms(value).map((form) => Buffer.from(asciiLower(form))),
  };
  record.set(value, forms);
  return forms;
}

/** The names of the markers that these bytes contain in any form. */
export function found(searched: Buffer, wanted: Readonly<Record<string, string>>): string[] {
  const lower = Buffer.from(asciiLower(searched.toString('latin1')), 'latin1');
  const isThere = (value: string) => {
    const { exact, written } = formsOf(value);
    return exact.some((bytes) => searched.includes(bytes)) || written.some((bytes) => lower.includes(bytes));
  };
  return Object.entries(wanted)
    .filter(([, value]) => isThere(value))
    .map(([name]) => name);
}

/** Leaves other letters, because they may be parts of binary data. */
function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
