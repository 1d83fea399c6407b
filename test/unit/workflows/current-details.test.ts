import { describe, expect, it } from 'vitest';
import type { OnboardingState } from '../../../src/messages/onboarding-state.js';
import type { AnswerKind, Requirement } from '../../../src/messages/requirements.js';
import { currentDetails } from '../../../src/workflows/runtime/current-details.js';
import { problemWith } from '../../../src/workflows/runtime/resolutions.js';

const NEXT = { underwriting: 'wait for the underwriters', boarded: 'The merchant can take payments.' };

// An answer with documents cannot be sent from the Web UI.
const KINDS: readonly AnswerKind[] = ['text', 'correction', 'confirm', 'code', 'retry', 'abandon'];

function requirement(more: Partial<Requirement> = {}): Requirement {
  return {
    id: 'note-1',
    kind: 'underwriting-note',
    title: 'Underwriting note',
    detail: 'What share of sales is keyed in by hand?',
    answers: ['text', 'documents', 'abandon'],
    raisedAt: '2026-11-21T10:00:00.000Z',
    dueAt: '2999-11-23T10:00:00.000Z',
    ...more,
  };
}

function state(more: Partial<OnboardingState> = {}): OnboardingState {
  return {
    dba: 'Harbor Books',
    stage: 'underwriting',
    partnerStatus: 'Pending',
    merchantProfileId: 1001,
    requirements: [],
    timeline: [],
    ...more,
  };
}

const details = (more: Partial<OnboardingState> = {}, said: readonly string[] = []) =>
  currentDetails('merchant-boarding-harbor-books', state(more), NEXT, said);

/** What a person copies: the JSON of each requirement. */
function jsonIn(markdown: string): string[] {
  return [...markdown.matchAll(/```\n([\s\S]*?)\n```/g)].map(([, json = '']) => json);
}

describe('the details of an onboarding that waits for nobody', () => {
  it('are where it stands, and what comes next', () => {
    expect(details()).toBe(
      '**Harbor Books** · **Stage** underwriting · **Partner status** Pending · **Merchant** 1001\n\n' +
        '**Next** wait for the underwriters',
    );
  });

  it('have the JSON that takes back an answer that is not sent yet', () => {
    const [, json = ''] = /^\*\*Answered, not sent yet\*\* note-1, note-2\. .*`(\{.*\})`$/m.exec(
      details({ unsent: ['note-1', 'note-2'] }),
    ) ?? ['', ''];
    const resolution = { ...JSON.parse(json), actor: 'olga', reason: 'a mistake' };
    expect(problemWith(resolution, { open: [], unsent: ['note-1'] }, [])).toBeUndefined();
  });
});

describe('the details of an onboarding that waits for a person', () => {
  it('have what is asked, since when, due when, and how to answer', () => {
    const text = details({ requirements: [requirement()] });
    const blank = { requirementId: 'note-1', answer: { kind: 'text', text: '' }, actor: '', reason: '' };
    expect(text.split('\n\n')).toEqual([
      '**Harbor Books** · **Stage** underwriting · **Partner status** Pending · **Merchant** 1001',
      '### Waiting for a person: 1',
      expect.stringMatching(
        /^Copy the JSON .*\*\*Send an Update\*\*.*\nIn a terminal: `gangway resolve merchant-boarding-harbor-books note-1 \.\.\.`$/,
      ),
      '**1. Underwriting note**\nWhat share of sales is keyed in by hand?\n' +
        'Asked 2026-11-21 10:00 UTC, due 2999-11-23 10:00 UTC. Answers: text, documents, abandon.',
      // In the form of the Web UI, which reformats another one under the mouse.
      `\`\`\`\n${JSON.stringify(blank, null, 2)}\n\`\`\``,
      '### Answers',
      'Any of these that the requirement allows, in place of `answer` in its JSON:',
      '- `{"kind":"text","text":""}` your reply\n' +
        '- `{"kind":"documents","documents":[]}` files, which cannot be sent from this page: `gangway resolve --document FILE` in a terminal\n' +
        '- `{"kind":"abandon"}` give up the whole onboarding, for good',
    ]);
  });

  it('say which answers need a second person', () => {
    const open = [requirement({ fourEyes: ['text', 'abandon'] })];
    expect(details({ requirements: open })).toContain(
      'A second person must confirm text, abandon: send such an answer to `proposeAnswer`.\n',
    );
  });

  it('have the blank of a correction in its JSON', () => {
    const blank = { holder: { website: '', address: { city: '' } } };
    const open = [requirement({ answers: ['correction'], fields: ['holder.website'], blank })];
    const [json = ''] = jsonIn(details({ requirements: open }));
    expect(JSON.parse(json).answer).toEqual({ kind: 'correction', patch: blank });
  });

  it('mark what is overdue', () => {
    const overdue = requirement({ dueAt: '2020-11-23T10:00:00.000Z' });
    expect(details({ requirements: [overdue] })).toContain('**overdue** since 2020-11-23 10:00 UTC');
  });

  it.each(KINDS)('have JSON for the answer %s, complete but for what is empty', (kind) => {
    const open = [requirement({ answers: [kind] })];
    const [json = ''] = jsonIn(details({ requirements: open }));
    const blank = JSON.parse(json);
    const check = (resolution: typeof blank) => problemWith(resolution, { open, unsent: [] }, ['fees']);
    // A person who sends it as it is learns which field to fill in.
    expect(check(blank)).toContain('actor: must name the person who answers; reason: must not be empty');
    expect(check({ ...blank, actor: 'olga' })).toContain('reason: must not be empty');
    const signed = { ...blank, actor: 'olga', reason: 'asked the merchant' };
    const filled = { text: 'One in ten.', patch: { fees: {} }, id: '1001', code: '000000' };
    const fields = Object.entries(filled).filter(([field]) => field in blank.answer);
    if (fields.length > 0) expect(check(signed)).toMatch(/^answer\./);
    expect(check({ ...signed, answer: { ...blank.answer, ...Object.fromEntries(fields) } })).toBeUndefined();
  });

  it('name who works on it, and the answer that waits for a second person', () => {
    const claim = { actor: 'olga_*', until: '2999-11-21T14:00:00.000Z' };
    const proposal = {
      actor: 'pete',
      at: '2026-11-21T13:00:00.000Z',
      reason: 'called',
      answer: 'text: One in ten.',
    };
    const text = details({ requirements: [requirement({ claim, proposal })] });
    expect(text).toContain('\n**Claimed** by olga\\_\\* until 2999-11-21 14:00 UTC.\n');
    expect(text).toMatch(
      /\n\*\*Proposed\*\* by pete, 2026-11-21 13:00 UTC: text\\: One in ten\. \(called\)\. /,
    );
    const ended = { ...claim, until: '2020-11-21T14:00:00.000Z' };
    expect(details({ requirements: [requirement({ claim: ended })] })).not.toContain('Claimed');
    const [, json = ''] = /with update `confirmAnswer`: `(\{.*\})`\n/.exec(text) ?? [];
    expect(JSON.parse(json)).toEqual({ requirementId: 'note-1', proposedAt: proposal.at, actor: '' });
  });

  it('prefer an answer that needs no file', () => {
    const [json = ''] = jsonIn(details({ requirements: [requirement({ answers: ['documents', 'retry'] })] }));
    expect(JSON.parse(json).answer).toEqual({ kind: 'retry' });
  });
});

describe('the details fit into a URL of 8 kB, because the Web UI sends them in one', () => {
  const CHINESE = { title: '问题'.repeat(50), detail: '请说明存款来源。'.repeat(250) };
  const at = '2999-11-23T10:00:00.000Z';
  const claim = { actor: '奥'.repeat(200), until: at };
  const proposal = { actor: claim.actor, at, answer: '存款'.repeat(60), reason: '问题'.repeat(100) };
  const LONG: readonly [string, Partial<Requirement>][] = [
    ['200 notes', {}],
    ['notes of 2,000 characters', { detail: 'Please explain. '.repeat(125) }],
    ['notes in Chinese', CHINESE],
    ['notes of nothing but punctuation', { detail: '*'.repeat(6_000) }],
    ['notes in Chinese that people handle in Chinese', { ...CHINESE, claim, proposal }],
  ];

  it.each(LONG)('with %s', (_, note) => {
    const requirements = Array.from({ length: 200 }, (__, index) =>
      requirement({ id: `note-${index}`, ...note }),
    );
    const text = details({ requirements });
    expect(encodeURIComponent(text).length).toBeLessThan(8_000);
    const lines = jsonIn(text);
    expect(lines.length).toBeGreaterThan(0);
    expect(text).toContain(`**${200 - lines.length} more** show up here when these are answered.`);
    expect(lines.map((json) => JSON.parse(json).requirementId)).toEqual(
      requirements.slice(0, lines.length).map(({ id }) => id),
    );
  });

  it('with half of a surrogate pair, which no URL can have', () => {
    expect(details({ requirements: [requirement({ detail: 'half \uD83D pair' })] })).toContain('half � pair');
  });
});

describe('the details of an onboarding that has ended', () => {
  it.each<[Partial<OnboardingState>, readonly string[], string]>([
    [{ stage: 'boarded', outcome: 'boarded' }, [], '**Boarded:** The merchant can take payments.'],
    [
      { stage: 'declined', outcome: 'declined' },
      ['Comment: too *risky*'],
      '**Declined:** The partner declined the application. Comment\\: too \\*risky\\*',
    ],
    [
      { stage: 'cancelled' },
      ['merchant 1001 stays at the partner', 'upload check.pdf: was not sent'],
      '**Cancelled:** Somebody canceled it. Merchant 1001 stays at the partner; upload check.pdf\\: was not sent',
    ],
  ])('begin with the outcome as a sentence: %j', (ended, said, sentence) => {
    const [first, second, ...rest] = details(ended, said).split('\n\n');
    expect(first).toBe(sentence);
    expect(second).toContain(`**Stage** ${ended.stage}`);
    expect(rest).toEqual([]);
  });
});
