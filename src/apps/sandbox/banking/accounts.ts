import type { StatementFormat } from '../../../partners/banking/client.js';
import { FileResponse, Refusal } from '../routes.js';
import { pageOfItems, Store } from '../store.js';
import { MAX_ACCOUNTS, type Profile } from './profile.js';
import type { BankingHandlers, BankingUser } from './users.js';

export interface FinancialAccount {
  readonly id: string;
  readonly partnerId: number;
  readonly profileId: number;
  readonly name: string;
  readonly last4: string;
  readonly transactions: readonly Transaction[];
}

interface Transaction {
  readonly id: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly description: string;
  /** In cents; negative for a debit. */
  readonly amount: number;
}

export class Accounts {
  readonly #accounts = new Store<FinancialAccount>({ kind: 'financial account', id: String });

  /** @param profileOf returns the profile with this ID, or refuses if the user may not see it */
  constructor(private readonly profileOf: (id: number, user: BankingUser) => Profile) {}

  /** Opens an account for the profile; returns undefined if it has the maximum number. */
  open(
    { basics: { partnerId }, id: profileId }: Profile,
    transactions: readonly Omit<Transaction, 'id'>[] = [],
  ): FinancialAccount | undefined {
    const number = 1 + this.#accounts.of().filter((account) => account.profileId === profileId).length;
    if (number > MAX_ACCOUNTS) return undefined;
    const id = `fa-${profileId}-${number}`;
    const account: FinancialAccount = {
      id,
      partnerId,
      profileId,
      name: number === 1 ? 'Operating account' : `Account ${number}`,
      last4: String((profileId * 10 + number) % 10_000).padStart(4, '0'),
      transactions: transactions.map((transaction, index) => ({
        id: `tx-${profileId}-${number}-${index + 1}`,
        ...transaction,
      })),
    };
    return this.#accounts.add({ partnerId }, () => account, id);
  }

  get(id: string, user: BankingUser): FinancialAccount {
    return this.#accounts.get(id, user);
  }

  readonly handlers = {
    generateFullStatement: ({ financialAccountIds, period, fileFormat }, user) =>
      this.#statement(financialAccountIds, period, fileFormat, user),
    generateStatement: ({ financialAccountId, period, fileFormat }, user) =>
      this.#statement([financialAccountId], period, fileFormat, user),
    listTransactions: ({ financialAccountId, skip = 0, take = 100 }, user) =>
      pageOfItems(this.get(financialAccountId, user).transactions, skip, take),
    listFinancialAccounts: (_, user) =>
      this.#accounts.of(user).map(({ id, profileId, name, last4, transactions }) => {
        return { id, profileId, name, last4, status: 'ACTIVE', balance: sum(transactions) };
      }),
    getExternalAccountActivity: ({ profileId, provider }, user) => {
      const { id } = this.profileOf(profileId, user);
      if (provider !== undefined && !PROVIDERS.includes(provider)) {
        throw new Refusal(400, 'Validation failed', [{ field: 'provider', message: 'is not a provider' }]);
      }
      if (id === NOT_LINKED_PROFILE_ID) throw new Refusal(404, 'No external account is linked');
      const activity = id === LINKED_PROFILE_ID ? [ACTIVITY] : [];
      return { transferPageInfo: [PAGE], transactionPageInfo: PAGE, activity };
    },
  } satisfies BankingHandlers;

  #statement(
    ids: readonly string[],
    period: string,
    format: StatementFormat = 'PDF',
    user: BankingUser,
  ): FileResponse {
    const month = new Date(period).toISOString().slice(0, 7);
    const accounts = ids.map((id) => {
      const account = this.get(id, user);
      const isInMonth = ({ createdAt }: Transaction) => createdAt.startsWith(month);
      return { ...account, transactions: account.transactions.filter(isInMonth) };
    });
    const [contentType, write] = STATEMENTS[format];
    // One byte per character, because offsets in a PDF count bytes.
    return new FileResponse(contentType, Buffer.from(write(accounts, month), 'latin1'));
  }
}

const PROVIDERS: readonly string[] = ['AGGREGATOR_A', 'AGGREGATOR_B'];

const LINKED_PROFILE_ID = 501;
/** A profile without linked accounts, for which the bank responds with a 404. Others without any get an empty list. */
export const NOT_LINKED_PROFILE_ID = 502;

const PAGE = { startCursor: '1', endCursor: '1', hasNextPage: false, hasPreviousPage: false };

const ACTIVITY = {
  id: 'external-1',
  name: 'Deposit from outside',
  amount: { value: 25_000, currencyCode: 'USD' },
  createdAt: '2026-01-05T09:00:00Z',
};

const ROUTING_NUMBER = '021000021';

type Write = (accounts: readonly FinancialAccount[], month: string) => string;

const csv: Write = (accounts) => {
  const rows = accounts.flatMap(({ id, transactions }) =>
    transactions.map(({ createdAt, description, amount }) => [id, createdAt, description, dollars(amount)]),
  );
  return [['account', 'date', 'description', 'amount'], ...rows]
    .map((row) => `${row.join(',')}\r\n`)
    .join('');
};

/** OFX 1.02, which is also the format of QBO files. */
const ofx: Write = (accounts, month) => {
  const header = ['OFXHEADER:100', 'DATA:OFXSGML', 'VERSION:102', 'SECURITY:NONE', 'ENCODING:USASCII'];
  const more = ['CHARSET:1252', 'COMPRESSION:NONE', 'OLDFILEUID:NONE', 'NEWFILEUID:NONE'];
  const now = `${month.replace('-', '')}01`;
  const body = accounts.map(
    ({ id, transactions }) =>
      `<STMTTRNRS><STMTRS><CURDEF>USD<BANKACCTFROM><BANKID>${ROUTING_NUMBER}<ACCTID>${id}</BANKACCTFROM>` +
      `<BANKTRANLIST><DTSTART>${now}<DTEND>${now}${transactions.map(ofxTransaction).join('')}</BANKTRANLIST>` +
      '</STMTRS></STMTTRNRS>',
  );
  return `${[...header, ...more].join('\r\n')}\r\n\r\n<OFX><BANKMSGSRSV1>${body.join('')}</BANKMSGSRSV1></OFX>\r\n`;
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

/** The MIME type of each format, which is not in the contract, and its writer. */
const STATEMENTS: Readonly<Record<StatementFormat, readonly [contentType: string, write: Write]>> = {
  PDF: ['application/pdf', pdf],
  CSV: ['text/plain; charset=utf-8', csv],
  QBO: ['application/vnd.intu.qbo', ofx],
  OFX: ['application/x-ofx', ofx],
};

function dollars(cents: number): string {
  return (cents / 100).toFixed(2);
}

/** In cents. */
function sum(transactions: readonly Transaction[]): number {
  return transactions.reduce((total, { amount }) => total + amount, 0);
}
