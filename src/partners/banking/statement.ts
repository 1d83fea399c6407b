export type StatementFormat = 'PDF' | 'CSV' | 'QBO' | 'OFX';

/** MIME types of statements. The contract prints none; it says that CSV is plain text and the others are binary. */
const FORMATS: Readonly<Record<string, StatementFormat>> = {
  'application/pdf': 'PDF',
  'text/csv': 'CSV',
  'application/csv': 'CSV',
  'text/plain': 'CSV',
  'application/vnd.intu.qbo': 'QBO',
  'application/qbo': 'QBO',
  'application/x-qbo': 'QBO',
  'application/vnd.intu.ofx': 'OFX',
  'application/ofx': 'OFX',
  'application/x-ofx': 'OFX',
};

/** The MIME types that a statement may have. */
export const STATEMENT_TYPES = Object.keys(FORMATS);

/** Which format a statement came in, by its `Content-Type` (E10); undefined for a type that tells nothing. */
export function statementFormat(contentType: string): StatementFormat | undefined {
  const [type = ''] = contentType.split(';');
  return FORMATS[type.trim().toLowerCase()];
}
