import type { StatementFormat } from '../../partners/banking/client.js';
import type { BankingOperations } from '../../partners/banking/operations.js';
import { FileResponse, type Handlers, Refusal } from '../routes.js';
import { MAX_ACCOUNTS, type Profile } from './profile.js';
import type { BankingUser } from './users.js';

export interface FinancialAccount {
  readonly id: string;
  readonly partnerId: number;
  readonly profileId: number;
  readonly name: string;
  readonly last4: string;
  readonly transactions: readonly Transaction[];
}

export interface Transaction {
  readonly id: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly description: string;
  /** Cents; below zero when it leaves the account. */
  readonly amount: number;
}

type AccountHandlers = Pick<
  Handlers<BankingOperations, BankingUser>,
  | 'generateFullStatement'
  | 'generateStatement'
  | 'listTransactions'
  | 'listFinancialAccounts'
  | 'getExternalAccountActivity'
>;

/** Financial accounts, their transactions and statements. */
export class Accounts {
  readonly #accounts = new Map<string, FinancialAccount>();

  /** @param profileOf the profile of this id, if the user may see it; refuses otherwise */
  constructor(private readonly profileOf: (id: number, user: BankingUser) => Profile) {}

  /** Opens an account of the profile; undefined when it has as many as it may. */
  open(
    { basics, id }: Profile,
    transactions: readonly Omit<Transaction, 'id'>[] = [],
  ): FinancialAccount | undefined {
    const number = 1 + this.#of((account) => account.profileId === id).length;
    if (number > MAX_ACCOUNTS) return undefined;
    const account: FinancialAccount = {
      id: `fa-${id}-${number}`,
      partnerId: basics.partnerId,
      profileId: id,
      name: number === 1 ? 'Operating account' : `Account ${number}`,
      last4: String((id * 10 + number) % 10_000).padStart(4, '0'),
      transactions: transactions.map((transaction, index) => ({
        id: `tx-${id}-${number}-${index + 1}`,
        ...transaction,
      })),
    };
    this.#accounts.set(account.id, account);
    return account;
  }

  /** @throws {Refusal} 404, or 403 when the account belongs to another partner */
  get(id: string, { partnerId }: BankingUser): FinancialAccount {
    const account = this.#accounts.get(id);
    if (!account) throw new Refusal(404, `financial account ${id} not found`);
    if (account.partnerId !== partnerId) throw new Refusal(403, 'The account belongs to another partner');
    return account;
  }

  readonly handlers: AccountHandlers = {
    generateFullStatement: ({ financialAccountIds, period, fileFormat }, user) =>
      this.#statement(financialAccountIds, period, fileFormat, user),
    generateStatement: ({ financialAccountId, period, fileFormat }, user) =>
      this.#statement([financialAccountId], period, fileFormat, user),
    listTransactions: ({ financialAccountId, dateFrom, dateTo, skip = 0, take = 100 }, user) =>
      this.get(financialAccountId, user)
        .transactions.filter(({ createdAt }) => isWithin(createdAt, dateFrom, dateTo))
        .slice(skip, skip + take),
    listFinancialAccounts: (_, { partnerId }) =>
      this.#of((account) => account.partnerId === partnerId).map(
        ({ id, profileId, name, last4, transactions }) => {
          return { id, profileId, name, last4, status: 'ACTIVE', balance: sum(transactions) };
        },
      ),
    getExternalAccountActivity: ({ profileId, provider, dateFrom, dateTo, financialAccountId }, user) => {
      const { id } = this.profileOf(profileId, user);
      if (provider !== undefined && !PROVIDERS.includes(provider)) {
        throw new Refusal(400, 'Validation failed', [{ field: 'provider', message: 'is not a provider' }]);
      }
      const answer = externalActivityOf(id);
      if (!answer) throw new Refusal(404, 'No external account is linked');
      const isWanted = ({ createdAt, toFinancialAccount }: (typeof answer.activity)[number]) =>
        isWithin(createdAt, dateFrom, dateTo) &&
        [undefined, toFinancialAccount.id].includes(financialAccountId);
      return { ...answer, activity: answer.activity.filter(isWanted) };
    },
  };

  #of(isWanted: (account: FinancialAccount) => boolean): FinancialAccount[] {
    return [...this.#accounts.values()].filter(isWanted);
  }

  #statement(
    ids: readonly string[],
    period: string,
    format: 'PDF' | 'CSV' | 'QBO' | 'OFX' = 'PDF',
    user: BankingUser,
  ): FileResponse {
    const { contentType, content } = statement(
      ids.map((id) => this.get(id, user)),
      new Date(period),
      format,
    );
    return new FileResponse(contentType, content);
  }
}

/** Bounds are inclusive. */
export function isWithin(at: string, from: string | undefined, to: string | undefined): boolean {
  const time = Date.parse(at);
  return (from === undefined || time >= Date.parse(from)) && (to === undefined || time <= Date.parse(to));
}

/** Stand for the two providers whose names the contract leaves out. */
export const PROVIDERS: readonly string[] = ['AGGREGATOR_A', 'AGGREGATOR_B'];

/** The profile that has linked accounts. */
export const LINKED_PROFILE_ID = 501;
/** A profile without linked accounts, for which the bank responds with a 404. Others without any get an empty list. */
export const NOT_LINKED_PROFILE_ID = 502;
/** The profile that has more activity than the page that is listed. */
export const MANY_PAGES_PROFILE_ID = 503;

const PAGE = { startCursor: '1', endCursor: '1', hasNextPage: false, hasPreviousPage: false };
const NO_PAGE = { ...PAGE, startCursor: '', endCursor: '' };
const usd = (value: number) => ({ value, currencyCode: 'USD' });

const ACTIVITY = [activity(1, '2026-01-05T09:00:00Z', 25_000), activity(2, '2026-01-20T15:30:00Z', 12_500)];

/** External account activity of a profile (E11); undefined when the bank responds with a 404. */
export function externalActivityOf(profileId: number) {
  if (profileId === NOT_LINKED_PROFILE_ID) return undefined;
  if (profileId === MANY_PAGES_PROFILE_ID) {
    const hasNextPage = true;
    return { transferPageInfo: [PAGE], transactionPageInfo: { ...PAGE, hasNextPage }, activity: ACTIVITY };
  }
  return profileId === LINKED_PROFILE_ID
    ? { transferPageInfo: [PAGE], transactionPageInfo: PAGE, activity: ACTIVITY }
    : { transferPageInfo: [], transactionPageInfo: NO_PAGE, activity: [] };
}

function activity(number: number, createdAt: string, cents: number) {
  return {
    id: `external-${number}`,
    typename: 'ExternalTransfer',
    name: 'Deposit from outside',
    typeModel: 'Transfer',
    pendingAmount: usd(0),
    amount: usd(cents),
    lastEventBalanceSnapshot: usd(cents * number),
    createdAt,
    isComplete: true,
    transferStatus: { status: 'PROCESSED', statusReasonCode: '' },
    companyName: 'Corner Supplies',
    descriptor: {
      companyEntryDescription: 'PAYOUT',
      individualName: 'Ada Reader',
      individualIdentificationNumber: '1',
    },
    toFinancialAccount: { id: 'fa-501-1', name: 'Operating account', last4: '5011', provider: PROVIDERS[0] },
    isBetweenOwnAccounts: false,
    purpose: '',
    memo: '',
  };
}

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
