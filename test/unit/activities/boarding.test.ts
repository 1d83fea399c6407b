import { describe, expect, it } from 'vitest';
import { boardingActivities } from '../../../src/activities/boarding.js';
import type { BoardingActivities } from '../../../src/messages/boarding-activities.js';
import type { BoardingClient } from '../../../src/partners/boarding/client.js';
import { chosenReference } from '../../../src/partners/boarding/references.js';
import type { CallOptions } from '../../../src/partners/client.js';
import { PartnerError } from '../../../src/partners/partner-error.js';
import type { StatusMeaning } from '../../../src/partners/phases.js';
import { environment } from '../../rigs/activities/environment.js';

type Request<Name extends keyof BoardingActivities> = Parameters<BoardingActivities[Name]>[0];

/** An attempt, an hour after the first one. */
const ATTEMPT = {
  attempt: 2,
  scheduledTimestampMs: Date.parse('2026-01-31T10:00:00Z'),
  currentAttemptScheduledTimestampMs: Date.parse('2026-01-31T11:00:00Z'),
};

/** The activities at a partner that responds like this, without HTTP, and the writes that they send. */
function atPartner(responses: Partial<Record<keyof BoardingClient, unknown>>, decided?: StatusMeaning) {
  const sent: unknown[] = [];
  const reads = ['getStatus', 'getUnderwritingNotes', 'listAgentProfiles', 'listBoardingSettings'];
  const client = new Proxy({} as BoardingClient, {
    get: (_, name: keyof BoardingClient) => async (request: object, options: CallOptions) => {
      if (!reads.includes(name)) {
        await options.beforeSending?.();
        sent.push([name, request]);
      }
      const response = responses[name] ?? { data: [] };
      if (response instanceof Error) throw response;
      return response;
    },
  });
  const activities = boardingActivities({
    fourEyes: [],
    client,
    documents: {} as never,
    poll: { minMs: 60_000, maxMs: 3_600_000 },
    meaningOf: async () => decided,
  });
  const run = <Name extends keyof BoardingActivities>(name: Name, request: Request<Name>) =>
    environment(ATTEMPT, { client: { workflow: {} } }).run(
      activities[name] as (request: unknown) => Promise<unknown>,
      request,
    );
  return { run, sent };
}

const status = (name: string) => ({ status: name, statusDate: null, comment: null, mid: null });
/** A create, and the response to it. */
const CREATE = { version: 'v2', merchant: {}, guid: 'g', saved: [] } as never as Request<'createMerchant'>;
const CREATED = { createMerchant: { merchantProfileId: 7 } };
const entries = (...names: (string | null)[]) => names.map((name, index) => ({ id: index + 1, name }));

describe('the agent profile and the boarding settings of a create', () => {
  type Names = readonly (string | null)[];

  async function created(agents: Names, settings: Names, references: object) {
    const [listAgentProfiles, listBoardingSettings] = [entries(...agents), entries(...settings)];
    const { run, sent } = atPartner({ ...CREATED, listAgentProfiles, listBoardingSettings });
    return { result: await run('createMerchant', { ...CREATE, references }), sent };
  }

  it.each<[string, Names, object, object]>([
    ['the only ones', ['A'], {}, { boardingSettingsId: 1 }],
    ['no settings where the partner has none', [], {}, {}],
    ['no settings where none are wanted', ['A'], { boardingSettings: false }, {}],
    ['those of a name', ['A', 'B'], { boardingSettings: 'B' }, { boardingSettingsId: 2 }],
    ['those of an id', [], { boardingSettingsId: 9 }, { boardingSettingsId: 9 }],
  ])('are %s', async (_, settings, references, expected) => {
    const { sent } = await created(['Ada'], settings, references);
    expect(sent).toEqual([['createMerchant', { agentProfileId: 1, guid: 'g', ...expected }]]);
  });

  // Catches a question about two agents of one name that are one: a list repeats a row while somebody else changes it.
  it('are one if a list repeats it', () => {
    const agent = { id: 7, name: 'A' };
    expect(chosenReference('agentProfileId', { name: 'A' }, [agent, { ...agent }])).toEqual({ id: 7 });
  });

  const NEITHER = 'none; boardingSettings: false creates without';
  const TWO = '2 have this name; choose one of: A (agentProfileId 1), A (agentProfileId 2)';
  const NAMES =
    'not given; choose one of: no name (boardingSettingsId 1), B (boardingSettingsId 2); boardingSettings: false creates without';
  it.each<[Names, Names, object, field: string, message: string]>([
    [['A', 'A'], [], { agent: 'A' }, 'agent', TWO],
    [[], [], {}, 'agentProfileId', 'not given; choose one of: none'],
    [['A'], [null, 'B'], {}, 'boardingSettingsId', NAMES],
    [
      ['A'],
      [],
      { boardingSettings: 'B' },
      'boardingSettings',
      `none has this name; choose one of: ${NEITHER}`,
    ],
  ])('of %j and %j are asked for with %j', async (agents, settings, input, field, message) => {
    const { result, sent } = await created(agents, settings, input);
    expect([result, sent]).toEqual([{ problems: [{ field, message }] }, []]);
  });
});

describe('a create that the partner refuses', () => {
  const fields = [{ field: 'email', message: 'odd' }];
  const operation = { system: 'boarding', operation: 'create-merchant' } as const;
  const details = { ...operation, kind: 'Rejected', fields, reason: '' } as const;
  const refused = (refusedWith: unknown) => new PartnerError(details, { refusedWith });
  const request = { ...CREATE, references: { agentProfileId: 1, boardingSettings: false } } as const;

  it.each([{ merchantProfileId: 7 }, 7])('has created the one that is in its response: %j', async (data) => {
    const { run } = atPartner({ createMerchant: refused(data) });
    // Catches a merchant of another create that was made between two attempts, and counts as new.
    const since = '2026-01-31T11:00:00.000Z';
    const expected = { merchantProfileId: 7, agentProfileId: 1, since, warnings: ['email: odd'] };
    expect(await run('createMerchant', request)).toEqual(expected);
  });

  const denied = (more: object = {}) =>
    new PartnerError({ ...operation, kind: 'Forbidden', status: 403, fields, reason: 'HTTP 403', ...more });
  const all = entries('Harbor', 'Lighthouse');
  const foreign = 'the partner does not permit it (403): the agent profile may belong to another ISO';

  it.each([
    [
      all,
      `${foreign}; the partner does not list this id; choose one of: Harbor (agentProfileId 1), Lighthouse (agentProfileId 2)`,
    ],
    [denied(), foreign],
  ])(
    '(403) asks for another agent profile, unless the partner lists it as ours: %j',
    async (listAgentProfiles, message) => {
      const { run } = atPartner({ createMerchant: denied(), listAgentProfiles });
      const references = { agentProfileId: 9, boardingSettings: false } as const;
      const problems = [
        { field: 'agentProfileId', message },
        { field: 'merchant.email', message: 'odd' },
      ];
      await expect(run('createMerchant', { ...CREATE, references })).rejects.toMatchObject({
        details: [{ kind: 'Rejected', fields: problems }],
      });
      const ours = { ...CREATE, references: { agentProfileId: 2, boardingSettings: false } } as const;
      if (Array.isArray(listAgentProfiles))
        await expect(run('createMerchant', ours)).rejects.toMatchObject({ details: [{ kind: 'Forbidden' }] });
    },
  );

  it.each([undefined, null, {}, 'Harbor'])('has created nothing when its response has %j', async (data) => {
    const { run } = atPartner({ createMerchant: refused(data) });
    await expect(run('createMerchant', request)).rejects.toMatchObject({ details: [{ kind: 'Rejected' }] });
  });
});

describe('an application', () => {
  it.each([
    ['Not Submitted', ['not-submitted', 'pending'], true],
    ['Pending', ['not-submitted', 'pending'], true],
    ['Pending', ['not-submitted', 'changes-requested'], false],
    ['RequestChanges', ['not-submitted', 'changes-requested'], true],
    ['UW Level 1: Pending', ['not-submitted', 'pending'], false],
    ['Approved', ['not-submitted', 'pending'], false],
    ['Escalated', ['other'], true],
  ] as const)('that reads as %s is submitted in the phases %j: %s', async (name, phases, submitted) => {
    const { run, sent } = atPartner({ getStatus: status(name), submitMerchant: {} });
    const result = await run('submitMerchant', { merchantProfileId: 7, phases, application: {} });
    expect([result, sent.length]).toMatchObject([{ submitted }, submitted ? 1 : 0]);
  });

  it.each([
    ['approved', 'approved'],
    ['not-submitted', 'not-submitted'],
    ['wants-changes', 'changes-requested'],
  ] as const)('has the phase that a person gave to its status: %s', async (meaning, phase) => {
    const responses = { getStatus: status('Escalated'), getUnderwritingNotes: [] };
    const { run } = atPartner(responses, meaning);
    expect(await run('readStatus', { merchantProfileId: 7, seen: { phase: null } })).toMatchObject({ phase });
  });

  it('is submitted in a status of which a person said that nobody has submitted it', async () => {
    const { run, sent } = atPartner({ getStatus: status('Draft'), submitMerchant: {} }, 'not-submitted');
    const phases = ['not-submitted', 'pending'] as const;
    const result = await run('submitMerchant', { merchantProfileId: 7, phases, application: {} });
    expect([result, sent.length]).toMatchObject([{ submitted: true }, 1]);
  });
});

describe('the notes of underwriters', () => {
  const read = async (notes: object[]) => {
    const { run } = atPartner({ getStatus: status('Pending'), getUnderwritingNotes: notes });
    const { notes: seen } = (await run('readStatus', { merchantProfileId: 7, seen: { phase: null } })) as {
      notes: { id: string; more?: number }[];
    };
    return seen;
  };
  type Said = string | null;
  const note = (text: string, author: Said = 'Uma', date: Said = null) => ({ text, author, date });
  const idsOf = async (...notes: object[]) => (await read(notes)).map(({ id }) => id);

  it('and its comment have characters in place of HTML entities', async () => {
    const text =
      'Send the owner&#39;s license &amp; a caf&eacute; permit &lt;2 MB&gt; &#x41; &nope; &#27; AT&T';
    const getStatus = { ...status('Pending'), comment: 'Ada &amp; Bo' };
    const { run } = atPartner({ getStatus, getUnderwritingNotes: [note(text, 'Uma &quot;U&quot;')] });
    expect(await run('readStatus', { merchantProfileId: 7, seen: { phase: null } })).toMatchObject({
      comment: 'Ada & Bo',
      notes: [
        { text: "Send the owner's license & a café permit <2 MB> A &nope; &#27; AT&T", author: 'Uma "U"' },
      ],
    });
  });

  it('keep their IDs when the partner changes their date, author or order, and differ by text and place', async () => {
    const [why, again, how] = await idsOf(note('Why?'), note('Why?', null), note('How?'));
    expect(new Set([why, again, how]).size).toBe(3);
    expect(why).toMatch(/^note-[0-9a-f]{12}$/);
    expect(await idsOf(note('How?', null), note('Why?', 'Vera', '2026'), note('Why?', 'Uma'))).toEqual([
      how,
      again,
      why,
    ]);
  });

  it('are one note if a list repeats a row, and two if they were written at different times', async () => {
    const row = note('Why?', 'Uma', '2026-01-05T10:00:00Z');
    expect(await idsOf(row, row)).toHaveLength(1);
    expect(await idsOf(row, { ...row, date: '2026-01-05T11:00:00Z' })).toHaveLength(2);
  });

  it.each([
    ['Send the lease (2 days open)', 'Send the lease (13 days open)', true],
    ['Send the  lease\u00a0', 'Send the lease', true],
    ['Send the statement of 2025', 'Send the statement of 2024', false],
    ['Send 3 statements', 'Send 4 statements', false],
  ])('%j and %j of a later read are one note: %s', async (before, after, isOne) => {
    expect((await idsOf(note(before)))[0] === (await idsOf(note(after)))[0]).toBe(isOne);
  });

  it.each([
    [200, 0],
    [201, 1],
  ])('of which there are %i are %i too many, the same ones in any order', async (count, more) => {
    const all = Array.from({ length: count }, (_, index) => note(`note ${index}`));
    const notes = await read(all);
    expect([notes.length, notes.at(-1)?.more ?? 0]).toEqual([count, more]);
    expect(new Set(await idsOf(...all.toReversed()))).toEqual(new Set(notes.map(({ id }) => id)));
  });

  it.each([
    ['Pending', ['Why?', 'How?'], true],
    ['Pending', ['Why?', 'How?', 'Unasked?'], false],
    ['Pending', ['How?'], false],
    ['UW Level 1: Pending', ['Why?'], true],
    ['Escalated', ['Why?'], true],
    ['UW Level 1: Pending Review', ['Why?'], false],
    ['Approved', ['Why?'], false],
  ])('are answered in status %s with the notes %j: %s', async (name, listed, delivered) => {
    const getUnderwritingNotes = listed.map((text) => note(text));
    const reads = { getStatus: status(name), getUnderwritingNotes };
    const { run, sent } = atPartner({ ...reads, requestUnderwritingReview: {} });
    const noteIds = await idsOf(note('Why?'));
    const deliveredIds = await idsOf(note('How?'));
    const input = { comment: 'Because.', noteIds: [...noteIds, 'note-gone'], deliveredIds };
    const answer = (await run('requestUnderwritingReview', { merchantProfileId: 7, ...input })) as object;
    expect(answer).toMatchObject({ delivered });
    expect('isIncomplete' in answer).toBe(listed.includes('Unasked?'));
    expect(sent).toEqual(delivered ? [['requestUnderwritingReview', { id: 7, comment: 'Because.' }]] : []);
  });

  it('are read again where a list lacks the one that is answered, or one that was seen', async () => {
    const noteIds = await idsOf(note('Why?'));
    const lists = [[], [note('Why?')], [], [note('Why?')]];
    const { run } = atPartner({
      getStatus: status('Pending'),
      get getUnderwritingNotes() {
        return lists.shift();
      },
      requestUnderwritingReview: {},
    });
    const answer = { merchantProfileId: 7, noteIds, deliveredIds: [] };
    expect(await run('requestUnderwritingReview', answer)).toMatchObject({ delivered: true });
    const seen = { phase: 'pending', noteIds } as const;
    const now = await run('readStatus', { merchantProfileId: 7, seen });
    expect(now).toMatchObject({ notes: [{ text: 'Why?' }] });
  });

  it('are answered beside others when each of their IDs looks like a new one', async () => {
    const getUnderwritingNotes = [note('Why?'), note('How?')];
    const reads = { getStatus: status('Pending'), getUnderwritingNotes };
    const { run } = atPartner({ ...reads, requestUnderwritingReview: {} });
    const noteIds = await idsOf(note('Why?'));
    expect(await run('requestUnderwritingReview', { merchantProfileId: 7, noteIds })).toMatchObject({
      delivered: true,
    });
  });
});
