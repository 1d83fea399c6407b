import type { Client } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import {
  formatWarnings,
  inputWarnings,
  namedIn,
  referencesAt,
  referenceWarnings,
  soonReferencesAt,
} from '../../../../src/services/batches/warnings.js';
import { business, customer, merchant } from '../../../rigs/inputs.js';
import { answering, execution, grpcError, payloads, time } from '../../../rigs/temporal/answering-service.js';

/** The doubts about one field of the open part of an application. */
function about(name: string, value: unknown): string[] {
  return formatWarnings({ application: { merchantProfile: { [name]: value } } }).map(
    ({ message }) => message,
  );
}

describe('a value of a format that everybody knows', () => {
  it.each<[string, unknown, string?]>([
    ['email', 'not-an-email', 'is not an e-mail address'],
    ['businessEmail', 'a@', 'is not an e-mail address'],
    ['zip', 'ABCDE', 'is not a zip code of 5 digits, or 5-4'],
    ['zipCode', 2134, 'is not a zip code of 5 digits, or 5-4'],
    ['annualVolume', -5, 'is less than 0'],
    ['averageTicket', '-0.01', 'is less than 0'],
    ['phone', '518555', 'is not a phone number of 10 digits'],
    ['businessPhone', 'call us', 'is not a phone number of 10 digits'],
    ['openedDate', '2026-02-30', 'is not a date such as 1980-12-31'],
    ['dob', '12/31/1980', 'is not a date such as 1980-12-31'],
    ['dateOfBirth', '2999-01-01T00:00:00Z', 'is in the future'],
    ['size', '1.234,56', 'write a number as 1234.56: digits, and a point before the decimals'],
    ['zip', '112207', 'is not a zip code of 5 digits, or 5-4'],
    ['zip', '12207-12', 'is not a zip code of 5 digits, or 5-4'],
    ['zip', '12207x', 'is not a zip code of 5 digits, or 5-4'],
    ['postal_code', 'ABC', 'is not a zip code of 5 digits, or 5-4'],
    ['postalCode', 'ABC', 'is not a zip code of 5 digits, or 5-4'],
    ['phone', '5185550100 99', 'is not a phone number of 10 digits'],
    ['phone', '+44 518 555 0100', 'is not a phone number of 10 digits'],
    ['phone', ['call us'], 'is not a phone number of 10 digits'],
    ['opened_date', 'on 2024-02-29', 'is not a date such as 1980-12-31'],
    ['date_of_birth', '31 December', 'is not a date such as 1980-12-31'],
    ['birth_date', '2999-01-01', 'is in the future'],
    ['dba', '🍕🍕', 'has no letter or digit'],
    ['doingBusinessAsName', '— !', 'has no letter or digit'],
    // Right.
    ['dba', '🍕 7'],
    ['dba', '寿司'],
    ['nameless', '🍕'],
    ['zip', '021341234'],
    ['phone', '1 518 555 0100 x12'],
    ['phone', '518-555-0100ext12'],
    // Names of something else.
    ['emailsPerMonth', 'many'],
    ['zipped', 'yes'],
    ['volumeUnit', '-5 %'],
    ['dateless', 'yes'],
    ['openedDateNote', 'in spring'],
    ['dobConfirmed', '2999-01-01'],
    ['email', "o'neil+shop@example.co.uk"],
    ['zip', '02134-1234'],
    ['zip', 12207],
    ['annualVolume', 0],
    ['volume', 'high'],
    ['phone', '(518) 555-0100'],
    ['phone', '+1 518.555.0100 ext. 12'],
    ['phone', ''],
    ['openedDate', '2024-02-29'],
    ['openedDate', '2024-02-29T23:30:00-05:00'],
    ['candidate', 'Ada'],
    ['mandate', 'none'],
    ['email', null],
    ['dob', { year: 1980 }],
  ])('is doubtful: %s %j', (name, value, message) => {
    expect(about(name, value)).toEqual(message === undefined ? [] : [message]);
  });

  const PATTERNS = ['phone', 'email', 'zip', 'openedDate', 'dob', 'size'];
  it.each(PATTERNS)('takes no longer than its text is long: %s', (name) => {
    const began = process.cpuUsage();
    for (const long of [' ', 'x', '1', 'a.', '(', 'x1 '])
      about(name, `1${long.repeat(60_000)}@${long.repeat(60_000)}y`);
    expect(process.cpuUsage(began).user / 1_000).toBeLessThan(1_000);
  });

  it('is not looked for in an input that has none wrong', () => {
    expect([merchant(), business(), customer()].flatMap(formatWarnings)).toEqual([]);
  });
});

describe('a fee line', () => {
  const fee = { perItem: 1, percent: 0 };
  const warnings = (line: string) =>
    formatWarnings({ fees: { authorizationMonthlyAndSpecialProgram: { [line]: fee } } });

  it('is doubtful with nearly the name of one that the contract names', () => {
    const group = 'fees.authorizationMonthlyAndSpecialProgram';
    const message = 'is in no fee line of the contract; did you mean statement?';
    expect(warnings('statment')).toEqual([
      { field: `${group}.statment.perItem`, message },
      { field: `${group}.statment.percent`, message },
    ]);
  });

  it.each(['statement', 'chargeback', 'pciAnnual', 'batch', 'avs', 'pciMonthly'])('may be %s', (line) => {
    expect(warnings(line)).toEqual([]);
  });
});

describe('the agent and the boarding settings', () => {
  const lists = {
    agentProfileId: [
      { id: 101, name: 'Harbor Agents' },
      { id: 102, name: 'Hill Agents' },
    ],
    boardingSettingsId: [{ id: 11, name: 'Standard' }],
  };
  const warnings = (input: object) => {
    const named = namedIn(input);
    return named && referenceWarnings(named, lists).map(({ field, message }) => `${field}: ${message}`);
  };
  const { agentProfileId: _, boardingSettingsId: __, ...unnamed } = merchant();
  const agents = 'choose one of: Harbor Agents (agentProfileId 101), Hill Agents (agentProfileId 102)';

  it('may be named by id or name, or be the only one', () => {
    expect(warnings(merchant())).toEqual([]);
    expect(warnings({ ...unnamed, agent: 'Hill Agents' })).toEqual([]);
    expect(warnings({ ...unnamed, agent: 'Hill Agents', boardingSettings: false })).toEqual([]);
  });

  it('are doubtful if the partner does not list them, or lists several', () => {
    expect(warnings(unnamed)).toEqual([`agentProfileId: not given; ${agents}`]);
    expect(warnings({ ...unnamed, agent: 'Nobody' })).toEqual([`agent: none has this name; ${agents}`]);
    // Alone catches a misspelt name without the one that it is like.
    expect(warnings({ ...unnamed, agent: 'Harbour Agents' })).toEqual([
      `agent: none has this name; did you mean Harbor Agents? Or ${agents}`,
    ]);
    const unlisted = `agentProfileId: the partner does not list this id; ${agents}`;
    expect(warnings(merchant(undefined, { agentProfileId: 7 }))).toEqual([unlisted]);
    const ofCustomer = warnings({ externalId: 'c', boarding: unnamed, business: {} });
    expect(ofCustomer).toEqual([`boarding.agentProfileId: not given; ${agents}`]);
  });

  it('do not matter where no merchant is created', () => {
    expect(warnings(business())).toBeUndefined();
    expect(warnings(merchant(undefined, { merchantProfileId: 1 }))).toBeUndefined();
  });
});

it.each([
  ['4 s while a person waits', referencesAt, '4'],
  ['1 s while a script waits', soonReferencesAt, '1'],
])('the lists of the partner may take %s', async (_, read, seconds) => {
  const { client, sent } = answering({
    describeTaskQueue: () => ({ pollers: [{ lastAccessTime: time(new Date().toISOString()) }] }),
    startActivityExecution: () => ({ runId: 'run-1' }),
    pollActivityExecution: () => ({ outcome: { failure: { timeoutFailureInfo: {} } } }),
  });
  expect(await read(client, 'gangway', undefined)).toBeUndefined();
  const starts = sent.filter(([name]) => name === 'startActivityExecution');
  const limits = starts.map(([, request]) => String(request.scheduleToCloseTimeout.seconds));
  expect(limits).toEqual([seconds, seconds]);
});

describe('the doubts about an input that is about to be started', () => {
  const { client } = answering({
    describeWorkflowExecution: ({ execution: { workflowId } }) => {
      if (workflowId !== 'merchant-boarding-m-1') throw grpcError('NOT_FOUND');
      return { workflowExecutionInfo: execution({ workflowId }) };
    },
  });
  const wrong = { ...merchant(), agentProfileId: 7, merchant: { ...merchant().merchant, email: 'x' } };
  const lists = {
    agentProfileId: [{ id: 101, name: 'Harbor' }],
    boardingSettingsId: [{ id: 11, name: 'A' }],
  };
  const questions: unknown[] = [];
  const fields = async (input: object, existing?: string, listed: object | undefined = lists) => {
    const read = async (_: unknown, ...where: unknown[]) => {
      questions.push(where);
      return listed;
    };
    const { warnings, isComplete } = await inputWarnings(client, 'gangway', input, existing, read as never);
    return [isComplete, ...warnings.map(({ field }) => field)];
  };

  it('are those of its formats, and of what its partner lists', async () => {
    expect(await fields(wrong)).toEqual([true, 'merchant.email', 'agentProfileId']);
    expect(await fields({ ...wrong, account: 'acme' })).toEqual([true, 'merchant.email', 'agentProfileId']);
    expect(questions).toEqual([undefined, 'acme'].map((account) => ['gangway', account]));
  });

  it('are not complete when its partner cannot be read', async () => {
    const unread = inputWarnings(client, 'gangway', wrong, undefined, async () => undefined);
    expect(await unread).toMatchObject({ isComplete: false, warnings: [{ field: 'merchant.email' }] });
  });

  it('are none of a business, which names nothing that a partner lists, or when its onboarding exists', async () => {
    questions.length = 0;
    expect(await fields(business())).toEqual([true]);
    // It takes no new input.
    expect(await fields(wrong, 'merchant-boarding-m-1')).toEqual([true]);
    expect(questions).toEqual([]);
    expect(await fields(wrong, 'merchant-boarding-m-2')).toEqual([true, 'merchant.email', 'agentProfileId']);
  });

  // Alone catches a check that one of command and console does without, and a start that fails because a search does.
  it('are also the onboarding of the same business under another external ID, if Temporal can search', async () => {
    const shop = business(undefined, { externalId: 'b-2' });
    const searching = (listWorkflowExecutions: () => object) =>
      answering({
        listWorkflowExecutions,
        describeWorkflowExecution: ({ execution: { workflowId } }) => {
          if (workflowId === 'business-onboarding-b-2') throw grpcError('NOT_FOUND');
          return { workflowExecutionInfo: execution({ workflowId }) };
        },
        getWorkflowExecutionHistory: () => ({
          history: {
            events: [{ workflowExecutionStartedEventAttributes: { input: { payloads: payloads(shop) } } }],
          },
        }),
      }).client;
    const other = { executions: [{ execution: { workflowId: 'business-onboarding-b-1', runId: 'run' } }] };
    const warningsAt = async (client: Client) =>
      (await inputWarnings(client, 'gangway', shop, 'business-onboarding-b-2')).warnings;
    expect(await warningsAt(searching(() => other))).toEqual([
      {
        field: '',
        message: 'is the same as business-onboarding-b-1, under another externalId: is it another one?',
      },
    ]);
    const down = searching(() => {
      throw grpcError('UNAVAILABLE');
    });
    expect(await warningsAt(down)).toEqual([]);
  });
});
