import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';

/** Members that are never logged, wherever they turn up. */
const PRIVATE = [
  ...[
    'password',
    'authorization',
    'token',
    'deviceToken',
    'totpSecret',
    'payloadKeys',
    'smsCode',
    'oneTimeCode',
    'apiKey',
  ],
  ...[
    'ssn',
    'employerIdentificationNumber',
    'dateOfBirth',
    'dob',
    'email',
    'phone',
    'homePhone',
    'businessPhone',
  ],
  ...['firstName', 'lastName', 'middleName', 'givenName', 'familyName'],
  ...['streetAddress', 'extendedAddress', 'homeAddress', 'primaryAuthorizedStreetAddress'],
];

/** What a private value looks like that turns up in the middle of a text: SSN, EIN, e-mail, Bearer or Basic credentials. */
const PATTERNS = [
  /(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])/g,
  /(?<![\w-])\d{2}-\d{7}(?![\w-])/g,
  /[\w.%+-]+@[\w-]+(?:\.[\w-]+)+/g,
  /\b(?:Bearer|Basic) [\w.~+/=-]{8,}/g,
];

const CENSORED = '[Redacted]';

/** How deep in a log entry a private member is still found. */
const DEPTH = 4;

/**
 * A logger that writes JSON lines, to standard error unless told otherwise: standard output belongs to a process's
 * answers.
 */
export function createLogger(
  level: string,
  destination: DestinationStream = pino.destination(2),
): PinoLogger {
  const prefixes = Array.from({ length: DEPTH }, (_, depth) => '*.'.repeat(depth));
  const redact = prefixes.flatMap((prefix) => PRIVATE.map((member) => prefix + member));
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact,
      hooks: {
        streamWrite: (line) => PATTERNS.reduce((text, pattern) => text.replace(pattern, CENSORED), line),
      },
      serializers: { error: withoutDetails, err: withoutDetails },
    },
    destination,
  );
}

/** The details of a failure hold what a partner said of an input, which may quote it. */
function withoutDetails(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack } = error;
  return { name, message, stack };
}
