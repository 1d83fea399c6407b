import { describe, expect, it } from 'vitest';
import { patternsIn } from '../../scripts/patterns.js';
import { ticketsAbout } from '../../src/activities/banking/tickets.js';
import { correctionProblems } from '../../src/activities/corrections.js';
import { parseCloudEvents } from '../../src/apps/receiver/cloud-events.js';
import { idsInWebhook, webhookIn } from '../../src/apps/receiver/nudges.js';
import { allIn } from '../../src/apps/sandbox/faults.js';
import { merchantBoardingInput, NO_ACCOUNTS } from '../../src/messages/inputs.js';
import { indexedWords } from '../../src/messages/list-fields.js';
import { boardingOperations } from '../../src/partners/boarding/operations.js';
import { differencesIn } from '../../src/partners/differences.js';
import { documentName } from '../../src/partners/documents/document-types.js';
import { parseExactly, parsePreservingNumbers } from '../../src/partners/json.js';
import { parseJsonBody } from '../../src/partners/responses.js';
import { retryAfterMs } from '../../src/platform/http/deadline.js';
import { PRIVATE_PATTERNS, privatePattern } from '../../src/platform/privacy/masked.js';
import { Placeholders } from '../../src/platform/privacy/placeholders.js';
import { createRedactor, withoutRepeats } from '../../src/platform/privacy/private-fields.js';
import { createLogger, holdPrivate } from '../../src/platform/process/logging.js';
import { columnsOf } from '../../src/services/batches/columns.js';
import { csvRows, NO_MAPPING } from '../../src/services/batches/csv.js';
import { heldSource } from '../../src/services/batches/format.js';
import { rowSchemas } from '../../src/services/batches/validation.js';
import { formatWarnings } from '../../src/services/batches/warnings.js';
import { changesOf } from '../../src/services/forms/corrections.js';
import { settingsFrom } from '../../src/services/forms/set-fields.js';
import { harmless, harmlessJson, parseJson } from '../../src/services/texts/text.js';
import { cpuMs, hostileText, hostileTexts, slowness } from '../rigs/hostile-texts.js';
import { merchant } from '../rigs/inputs.js';

interface Pattern {
  readonly source: string;
  readonly flags: string;
}

/** Why a pattern is slow in one of the texts made for it, found once or everywhere. */
async function slownessOf({ source, flags }: Pattern): Promise<string[]> {
  const everywhere = new RegExp(source, [...new Set(`${flags}g`)].join(''));
  for (const hostile of hostileTexts({ source, flags })) {
    const why = await slowness((length) => hostileText(hostile, length).replace(everywhere, ''));
    if (why) return [`/${source}/${flags}: ${why} ${JSON.stringify(hostile)}`];
  }
  return [];
}

type Frame = readonly [before: string, end: string];

/** Why a reader is slow for texts of these units, in any of these frames. */
async function slownessFor(
  read: (text: string) => unknown,
  units: readonly string[],
  frames: readonly Frame[] = [['', '']],
): Promise<string[]> {
  const matches: string[] = [];
  for (const unit of units)
    for (const [before, end] of frames) {
      const why = await slowness(async (length) => {
        try {
          await read(hostileText({ before, unit, end }, length));
        } catch {
          // It may be refused.
        }
      });
      if (why)
        matches.push(
          `${why} of ${JSON.stringify(unit)} between ${JSON.stringify(before)} and ${JSON.stringify(end)}`,
        );
    }
  return matches;
}

const people = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    ssn: `${100_000_000 + at}`,
    firstName: `Ann ${at}`,
    phone: `${5_185_550_000 + at}`,
  }));

// Proves B3.
describe('100,000 hostile characters take less than 50 ms of the processor', () => {
  const { literals, computed } = patternsIn();

  it('for each regular expression of the sources', async () => {
    const slow: string[] = [];
    for (const literal of literals)
      for (const why of await slownessOf(literal)) slow.push(`${literal.place} ${why}`);
    expect(slow).toEqual([]);
    expect(literals.length).toBeGreaterThan(300);
  });

  const TALK = ['123456 Ann ', '(518) 555-'];
  /** How the patterns that are made of texts are tried, by the files that make them. */
  const MADE: Readonly<Record<string, () => Promise<string[]>>> = {
    'src/platform/privacy/masked.ts': async () => {
      const joined = (['onboarding', 'failure', 'response'] as const).map((place) => privatePattern(place));
      const patterns = [
        ...Object.values(PRIVATE_PATTERNS),
        ...joined.map((source) => ({ source, flags: 'gu' })),
      ];
      return (await Promise.all(patterns.map(slownessOf))).flat();
    },
    'src/platform/privacy/private-fields.ts': async () => {
      const masks = [20, 160, 2_000].map((count) => createRedactor(['pass-word'], people(count)));
      return slownessFor((text) => masks.map((mask) => mask(text)), TALK);
    },
    'src/platform/privacy/placeholders.ts': async () => {
      const placeholders = new Placeholders();
      for (const { firstName } of people(100)) placeholders.placeholder(firstName);
      return slownessFor((message) => placeholders.replaced({ message }, { isResponse: true }), TALK);
    },
    'src/platform/process/logging.ts': async () => {
      const log = createLogger('info', { write: () => undefined });
      const release = holdPrivate(people(100));
      const slow = await slownessFor((text) => log.info({ text }), TALK);
      release();
      return slow;
    },
    'src/apps/sandbox/faults.ts': () => slownessFor(allIn(['Ann', '518']), TALK),
  };
  /** Made of constants, of names of partners, or of the names of fields. */
  const FIXED = [
    // The patterns of our schemas, on 30 characters at most.
    'src/services/batches/columns.ts',
    'src/apps/console/pages/start-choices.ts',
    'src/apps/command/onboarding/status.ts',
    'src/apps/receiver/server.ts',
    'src/temporal/unreadable.ts',
  ];

  it('for each one that is made of texts', async () => {
    expect([...new Set(computed)].sort()).toEqual([...Object.keys(MADE), ...FIXED].sort());
    for (const tries of Object.values(MADE)) expect(await tries()).toEqual([]);
  });

  const JSONS = ['9', '0', '[', '{"a":', '1234567890123456789,'];
  const FRAMES: readonly Frame[] = [
    ['[', ']'],
    ['[1.', '1]'],
  ];
  const columns = columnsOf(rowSchemas(NO_ACCOUNTS));
  const csv = async (text: string) => {
    const rows = csvRows(heldSource('a.csv', Buffer.from(text)).read(), { columns, mapping: NO_MAPPING });
    for await (const _ of rows);
  };
  const anyInput = (text: string) => {
    const fields = { dba: text, email: text, phone: text, zip: text, address: text, website: text };
    return merchantBoardingInput(NO_ACCOUNTS).safeParse({ externalId: text, merchant: fields });
  };

  const anyWebhook = (text: string) => idsInWebhook(webhookIn(text), [{ path: 'id', kind: 'Mid' }]);
  const WEBHOOKS = ['a', 'a=', 'a ', '%41', '-', '{"a":1},', '"[",'];

  const READERS: readonly [string, (text: string) => unknown, readonly string[], (readonly Frame[])?][] = [
    ['JSON', parseExactly, JSONS, FRAMES],
    ['JSON whose digits stay', parsePreservingNumbers, JSONS, FRAMES],
    ['the JSON of a person', (text) => parseJson(text, 'input.json'), ['[', '\\u0000'], FRAMES],
    [
      'the body of a partner',
      (text) => parseJsonBody(Buffer.from(text), { exactNumbers: true }),
      JSONS,
      FRAMES,
    ],
    [
      'an event',
      (text) => parseCloudEvents({ 'content-type': `application/json;${text}` }, text),
      JSONS,
      FRAMES,
    ],
    ['a webhook', anyWebhook, WEBHOOKS, [...FRAMES, ['{', ''], [`{"${'a'.repeat(50_000)}":[`, '0]}']]],
    ['a table', csv, ['"', 'a,'], [['externalId,merchant.dba\n"', '']]],
    ['a correction', (text) => settingsFrom([text]), ['a=', ' ', '.']],
    ['a header', retryAfterMs, [' ', '1', ';']],
    ['the name of a file', documentName, ['.', '\\', '/', ' ']],
    ['a dba', (text) => indexedWords(text, 'masked'), ['a', 'a ']],
    ['JSON for a terminal', harmlessJson, ['\u202a', '\x9b']],
    ['text for a terminal', harmless, ['\u202a', '\x1b']],
    ['an input', anyInput, ['a', '1', '@', '-', '.'], [['a@', '']]],
    [
      'doubts about an input',
      (text) => formatWarnings({ phone: text, email: text, dob: text }),
      ['1', ' ', 'x1'],
    ],
  ];

  it('for each reader of texts', async () => {
    const slow: string[] = [];
    for (const [what, read, units, frames] of READERS)
      for (const why of await slownessFor(read, units, frames)) slow.push(`${what}: ${why}`);
    expect(slow).toEqual([]);
  });

  it.each<[string, boolean, (length: number) => string]>([
    ['digits', true, (length) => `[${'9'.repeat(length)}]`],
    ['zeros', false, (length) => `[1.${'0'.repeat(length)}1]`],
    ['levels', true, (length) => `${'['.repeat(length / 2)}${2 ** 60}${']'.repeat(length / 2)}`],
  ])('and the largest body of a partner is read in less than a second: %s', async (_, exactNumbers, json) => {
    const read = (length: number) =>
      parseJsonBody(Buffer.from(json(length)), exactNumbers ? { exactNumbers } : {});
    expect(await slowness(read)).toBeUndefined();
    const before = cpuMs();
    read(8 * 1024 * 1024);
    expect(cpuMs() - before).toBeLessThan(1_000);
  });
});

describe('a list of any length takes as long as it is long', () => {
  const ticket = {
    createdDate: null,
    userProfileId: 1,
    text: 'profile 7',
    topic: null,
    updateFieldRequest: null,
  };
  const client = (count: number) => ({
    listNewTickets: async () =>
      Array.from({ length: count }, (_, at) => ({ ...ticket, ticketId: at + 1, parentTicketId: at || null })),
    findProfileByUser: async () => ({ id: 7 }),
  });
  const keys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at.toString(36)}`, at]));
  /** The input of a merchant, and a correction with as many other fields as it has. */
  const about = (count: number) => ({
    type: 'merchantBoarding' as const,
    input: merchant(undefined, { application: { present: keys(count) } }),
    fields: [],
  });
  const renamed = (count: number) =>
    Object.fromEntries(Object.entries(keys(count)).map(([name, value]) => [`${name}x`, value]));
  const { listAgentProfiles: operation } = boardingOperations();
  const received = {
    system: 'boarding',
    name: 'a',
    operation,
    status: 200,
    hasEnvelope: true,
    failed: false,
  };

  it.each<[string, (count: number) => unknown]>([
    [
      'tickets, each a reply to the one before',
      (count) => ticketsAbout(client(count) as never, { id: 7, userProfileId: 1 }, {}),
    ],
    [
      'fields of a correction that cannot be changed',
      (count) => correctionProblems({ ...about(count), patch: keys(count) }, NO_ACCOUNTS),
    ],
    [
      'new fields of a correction',
      (count) => changesOf(about(count), { application: { present: renamed(count) } }),
    ],
    [
      'unknown fields of a response',
      (count) => differencesIn({ ...received, payload: [keys(count), ...Array(count).fill('no object')] }),
    ],
    ['problems that repeat private values', (count) => withoutRepeats(people(count), [], people(count))],
  ])('%s', async (_, read) => {
    // Fewer than there are characters: an entry of a list takes longer.
    expect(await slowness((length) => read(Math.ceil(length / 50)))).toBeUndefined();
  });
});
