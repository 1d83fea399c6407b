import { type Logger as PinoLogger, pino } from 'pino';

/** Members that are never logged, wherever they turn up. */
const PRIVATE = [
  'password',
  'authorization',
  'token',
  'ssn',
  'email',
  'phone',
  'dateOfBirth',
  'firstName',
  'lastName',
];

/** JSON lines on standard error; standard output belongs to a process's answers. */
export function createLogger(level: string, destination = pino.destination(2)): PinoLogger {
  const paths = PRIVATE.flatMap((member) => [member, `*.${member}`, `*.*.${member}`]);
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: paths }, destination);
}
