import type { StatementFormat } from '../../partners/banking/statement.js';
import type { FinancialAccount, Transaction } from './accounts.js';

const ROUTING_NUMBER = '021000021';

/** MIME types of statements; the contract prints none. */
const CONTENT_TYPES: Readonly<Record<StatementFormat, string>> = {
  PDF: 'application/pdf',
  CSV: 'text/plain; charset=utf-8',
  QBO: 'application/vnd.intu.qbo',
  OFX: 'application/x-ofx',
};

/** A statement over these accounts for the month that `period` is in. */
export function statement(
  accounts: readonly FinancialAccount[],
  period: Date,
  format: StatementFormat,
): { contentType: string; content: Buffer } {
  const month = period.toISOString().slice(0, 7);
  const inMonth = accounts.map((account) => ({
    ...account,
    transactions: account.transactions.filter(({ createdAt }) => createdAt.startsWith(month)),
  }));
  const write = { PDF: pdf, CSV: csv, QBO: ofx, OFX: ofx }[format];
  // One byte a character, which is what the offsets in a PDF count.
  return { contentType: CONTENT_TYPES[format], content: Buffer.from(write(inMonth, month), 'latin1') };
}

type Write = (accounts: readonly FinancialAccount[], month: string) => string;

const csv: Write = (accounts) => {
  const rows = accounts.flatMap(({ id, transactions }) =>
    transactions.map(({ createdAt, description, amount }) => [id, createdAt, description, dollars(amount)]),
  );
  return [['account', 'date', 'description', 'amount'], ...rows]
    .map((row) => `${row.join(',')}\r\n`)
    .join('');
};

/** OFX 1.02, which QBO files are as well. */
const ofx: Write = (accounts, month) => {
  const header = ['OFXHEADER:100', 'DATA:OFXSGML', 'VERSION:102', 'SECURITY:NONE', 'ENCODING:USASCII'];
  const more = ['CHARSET:1252', 'COMPRESSION:NONE', 'OLDFILEUID:NONE', 'NEWFILEUID:NONE'];
  const status = '<STATUS><CODE>0<SEVERITY>INFO</STATUS>';
  const now = `${month.replace('-', '')}01`;
  const signOn = `<SIGNONMSGSRSV1><SONRS>${status}<DTSERVER>${now}<LANGUAGE>ENG</SONRS></SIGNONMSGSRSV1>`;
  const body = accounts.map(
    ({ id, transactions }, index) =>
      `<STMTTRNRS><TRNUID>${index}${status}<STMTRS><CURDEF>USD` +
      `<BANKACCTFROM><BANKID>${ROUTING_NUMBER}<ACCTID>${id}<ACCTTYPE>CHECKING</BANKACCTFROM>` +
      `<BANKTRANLIST><DTSTART>${now}<DTEND>${now}${transactions.map(ofxTransaction).join('')}</BANKTRANLIST>` +
      `<LEDGERBAL><BALAMT>${dollars(sum(transactions))}<DTASOF>${now}</LEDGERBAL></STMTRS></STMTTRNRS>`,
  );
  return `${[...header, ...more].join('\r\n')}\r\n\r\n<OFX>${signOn}<BANKMSGSRSV1>${body.join('')}</BANKMSGSRSV1></OFX>\r\n`;
};

function ofxTransaction({ id, createdAt, amount, description }: Transaction): string {
  const day = createdAt.slice(0, 10).replaceAll('-', '');
  const kind = amount < 0 ? 'DEBIT' : 'CREDIT';
  return `<STMTTRN><TRNTYPE>${kind}<DTPOSTED>${day}<TRNAMT>${dollars(amount)}<FITID>${id}<NAME>${description}</STMTTRN>`;
}

/** One page of text, in the smallest document that readers accept. */
const pdf: Write = (accounts, month) => {
  const lines = [
    `Statement ${month}`,
    ...accounts.flatMap(({ id, transactions }) => [
      `Account ${id}`,
      ...transactions.map(
        ({ createdAt, description, amount }) =>
          `${createdAt.slice(0, 10)}  ${description}  ${dollars(amount)}`,
      ),
    ]),
  ];
  const text = lines.map((line) => `(${line.replace(/[\\()]/g, '\\$&')}) Tj T*`).join('\n');
  const stream = `BT /F1 11 Tf 14 TL 72 720 Td\n${text}\nET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let document = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = document.length;
    document += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const start = document.length;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  return `${document}${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
};

function dollars(cents: number): string {
  return (cents / 100).toFixed(2);
}

/** In cents. */
export function sum(transactions: readonly Transaction[]): number {
  return transactions.reduce((total, { amount }) => total + amount, 0);
}
