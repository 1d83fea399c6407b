import { describe, expect, it } from 'vitest';
import { TOPICS } from '../../../../src/apps/command/help/commands.js';
import { PROBLEMS } from '../../../../src/apps/receiver/problems.js';
import { OUTCOMES, REQUIREMENT_KINDS, STAGES, TIMELINE_EVENTS } from '../../../../src/messages/codes.js';
import type { PartnerErrorKind } from '../../../../src/partners/partner-error.js';
import { CODES } from '../../../../src/services/texts/codes.js';
import { OBSTACLES } from '../../../../src/temporal/unreadable.js';
import { gangway, startGangway } from '../../../rigs/command.js';
import { jsonLines } from '../../../rigs/processes.js';

const PARTNER_ERROR_KINDS = Object.keys({
  NotSent: 1,
  RateLimited: 1,
  Rejected: 1,
  Unauthorized: 1,
  Forbidden: 1,
  Uncertain: 1,
} satisfies Record<PartnerErrorKind, 1>);

/** Standard output of a command that needs no settings. */
async function printed(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await gangway({}, args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

describe('gangway explain', () => {
  it('prints the runbook of a requirement', async () => {
    expect(await printed('explain', 'uncertain-write')).toBe(`\
uncertain-write (requirement)
  what happened  The response to a write was lost, and Gangway found no evidence
                 that the write took effect.
  see it         The detail names what to look for in the partner’s portal, and
                 when the request was sent.
  do             If the write took effect, --confirm the ID that the portal
                 shows. If not, wait a few minutes, look again, then --retry.
  then           The requirement closes by itself when evidence appears. --retry
                 sends the write again.
  do not         use --retry before looking twice. It can create a second
                 merchant.
  answers        --confirm, --retry, --abandon
`);
  });

  it('prints the row of a code', async () => {
    expect(await printed('explain', 'answers-wait')).toBe(`\
answers-wait (timeline entry)
  what happened      The partner takes no answers in the current status, or does
                     not list their notes.
  what happens next  Gangway sends them when the status changes; in the second
                     case, it also tries each hour.
`);
  });

  it.each([
    ...REQUIREMENT_KINDS,
    ...STAGES,
    ...TIMELINE_EVENTS,
    ...PARTNER_ERROR_KINDS,
    ...Object.keys(OBSTACLES),
    ...Object.keys(PROBLEMS),
  ])('describes %s', async (code) => {
    expect(await printed('explain', code)).toMatch(
      new RegExp(`^${code} \\(.*\\)\\n  what happened +\\S`, 'm'),
    );
  });

  it('describes only what exists, and each code of a kind once', () => {
    const KINDS: Readonly<Record<string, readonly string[]>> = {
      requirement: REQUIREMENT_KINDS,
      stage: STAGES.filter((stage) => !OUTCOMES.some((outcome) => outcome === stage)),
      outcome: OUTCOMES,
      'timeline entry': TIMELINE_EVENTS,
      'entry of a record': ['stage-changed', 'cancel-requested', 'terminated', 'reset'],
      'partner error': PARTNER_ERROR_KINDS,
      obstacle: Object.keys(OBSTACLES),
      problem: Object.keys(PROBLEMS),
    };
    const matches = CODES.map(({ kind, code }) => `${kind}: ${code}`);
    const expected = Object.entries(KINDS).flatMap(([kind, codes]) =>
      codes.map((code) => `${kind}: ${code}`),
    );
    expect(matches.sort()).toEqual(expected.sort());
  });

  it.each([
    ['NotSent', 'NotSent (partner error)'],
    ['not-sent', 'NotSent (partner error)'],
    ['merchant-created', 'merchant-created (timeline entry)'],
    ['boarding-ended', 'boarding-ended (timeline entry)'],
    ['urn:gangway:problem:too-large', 'too-large (problem)'],
    ['uncertain-write-2', 'uncertain-write (requirement)'],
    ['business-rejected-input-1', 'rejected-input (requirement)'],
    ['note-0e5ac65b83c0', 'underwriting-note (requirement)'],
    ['note-0e5ac65b83c0-2', 'underwriting-note (requirement)'],
    ['business-ended', 'business-ended (timeline entry)'],
  ])('finds %s, as people meet it', async (value, result) => {
    expect((await printed('explain', value)).split('\n')[0]).toBe(result);
  });

  it('describes each meaning of a code with several', async () => {
    const matches = jsonLines<{ kind: string }>(await gangway({}, ['explain', 'cancelled', '--json']));
    expect(matches.map(({ kind }) => kind)).toEqual(['stage', 'timeline entry']);
  });

  it('lists all codes without one', async () => {
    const listed = (await printed('explain')).match(/[\w-]+/g);
    expect(CODES.filter(({ code }) => !listed?.includes(code))).toEqual([]);
  });

  it('suggests the nearest code for an unknown one', async () => {
    expect(await gangway({}, ['explain', 'uncertian-write'])).toMatchObject({
      code: 2,
      stderr: 'no code "uncertian-write"; did you mean uncertain-write?; "gangway explain" lists all codes\n',
    });
  });
});

/** The inputs that the topics about inputs want. */
const INPUT_TOPICS: Readonly<Record<string, readonly string[]>> = {
  fields: ['merchant'],
  columns: ['merchant'],
};

describe('gangway help', () => {
  it('shows the help of a command, and of an operation', async () => {
    expect(await printed('help', 'inbox')).toBe(await printed('inbox', '--help'));
    expect(await printed('help', 'statement', 'now')).toBe(await printed('statement', 'now', '--help'));
    expect(await printed('help', 'call', 'banking', 'close-card')).toMatch(
      /Close a card permanently.*It\s+cannot be undone\..*paymentCardId +yes +string.*notes +string +at most 600 characters/s,
    );
    expect(await printed('call')).toMatch(
      / boarding +Merchant boarding, 15 operations\n +banking +Banking, 44 /,
    );
  });

  it('lists the topics, and prints each', async () => {
    const help = await printed('help', 'help');
    for (const topic of Object.keys(TOPICS)) {
      expect(help).toContain(`  ${topic} `);
      expect((await printed('help', topic, ...(INPUT_TOPICS[topic] ?? []))).length).toBeGreaterThan(400);
    }
  });

  it('prints the fields of an input with their rules, and the first row of a CSV file of such inputs', async () => {
    const fields = await printed('help', 'fields', 'merchant');
    expect(fields).toMatch(/^FIELD +REQUIRED +TYPE +RULE\nexternalId +yes +string /);
    expect(fields).toMatch(/^fees\.minimumDiscountAmount +number +at least 0; at most 500$/m);
    expect(await printed('help', 'columns', 'merchant')).toMatch(
      /^externalId,account,merchant\.cashDiscount,[\w.,]+,unclaimedInHours\n$/,
    );
    expect(await printed('help', 'columns', 'business')).toContain(',beneficialOwners.3.zipCode,');
    expect(await printed('help', 'columns', 'customer')).toContain(',boarding.merchant.dba,');
    expect(await gangway({}, ['help', 'columns', 'merchants'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^name the input: merchant, business, customer\b.*\n$/),
    });
  });

  it('knows the point-of-sale names of the settings', async () => {
    const env = { BOARDING_POS_NAMES: 'TillOne' };
    expect((await gangway(env, ['help', 'fields', 'merchant'])).stdout).toMatch(
      /^merchant\.pos +yes +string +one of .*TillOne/m,
    );
  });

  it('names the help of a command after a wrong option or argument', async () => {
    const told = async (...args: string[]) => (await gangway({}, args)).stderr;
    expect(await told('status')).toBe('missing required argument \'id\'\nsee "gangway help status"\n');
    expect(await told('inbox', '--csvv')).toMatch(/--csv\?\)\nsee "gangway help inbox"\n$/);
    expect(await told('statement', 'now', '--foo')).toBe(
      'unknown option \'--foo\'\nsee "gangway help statement now"\n',
    );
    expect(await told('status', 'a', 'b')).toMatch(/a, b\.\nsee "gangway help status"\n$/);
    expect(await told('--foo')).toMatch(/\nsee "gangway help"\n$/);
  });

  it('says whose settings a call uses', async () => {
    const help = (await printed('help', 'call', 'boarding', 'get-status')).replace(/\s+/g, ' ');
    expect(help).toContain('A worker makes the call, with its own settings and credentials.');
    expect(help).toContain('make the call from this machine, with its settings, without a worker');
    expect(await printed('call')).toMatch(/ processor +Processor webhook, 1 operation\n/);
  });

  it('names each kind of requirement, with its answers', async () => {
    const text = await printed('help', 'requirements');
    for (const kind of REQUIREMENT_KINDS) expect(text).toMatch(new RegExp(`^  ${kind} +\\S`, 'm'));
    expect(text).toMatch(/unclear-mid +confirm mid \(--confirm, --abandon\)/);
  });

  it('names answers only by options that gangway resolve has', async () => {
    const options: string[] = (await printed('help', 'answers')).match(/--[a-z-]+/g) ?? [];
    const entries: string[] = (await printed('resolve', '--help')).match(/--[a-z-]+/g) ?? [];
    expect(options.length).toBeGreaterThan(8);
    expect(options.filter((option) => !entries.includes(option))).toEqual([]);
  });

  it('prints the settings that have a part in their name', async () => {
    expect(await printed('help', 'settings', 'gangway_ui')).toBe(`\
Gangway
  GANGWAY_UI_URL
    read by  gangway, console
    format   URL
    default  no links
    purpose  Address of the Temporal Web UI, for links.

A secret can be in a file: set NAME_FILE to its path instead.
`);
    expect(await printed('help', 'settings', 'BANKING_PASSWORD')).toMatch(/BANKING_PASSWORD\n.* secret\n/s);
    expect(await printed('help', 'settings', 'ACTIVITIES_PER_SECOND')).toContain(
      '  BANKING_ACTIVITIES_PER_SECOND\n',
    );
    expect((await gangway({}, ['help', 'settings', 'BOARDING_URI'])).stderr).toBe(
      'no setting "BOARDING_URI"; did you mean BOARDING_URL?\n',
    );
  });

  it('suggests the nearest command or topic for an unknown one', async () => {
    expect(await gangway({}, ['help', 'anwsers'])).toMatchObject({
      code: 2,
      stderr: "no command or topic 'anwsers'; did you mean answers?\n",
    });
  });

  it('lists the topics and commands where none is near', async () => {
    const { code, stderr } = await gangway({}, ['help', 'zzz']);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^no command or topic 'zzz'; the topics are fields, columns, requirements, answers, .*; the commands are board, .* explain, completion\n$/,
    );
    // Alone catches a clerk who looks for the word of the console among forty commands.
    expect((await gangway({}, ['answer', 'zzz'])).stderr).toBe(
      "unknown command 'answer'; did you mean resolve?\n",
    );
    expect(await gangway({}, ['show', 'zzz'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^unknown command 'show'; the commands are board, .*status, .*completion\n$/,
      ),
    });
  });
});

describe('the help of a command', () => {
  it('breaks no word and fills no line at a terminal', async () => {
    for (const command of ['resolve', 'inbox', 'status', '']) {
      const args = [...(command ? [command] : []), '--help'];
      const { stdout } = await startGangway({}, args, { terminal: true }).finished;
      const prose = stdout.split('\n').filter((line) => !line.startsWith('  gangway '));
      expect(Math.max(...prose.map(({ length }) => length))).toBeLessThanOrEqual(80);
    }
  });

  it('of resolve begins with the answers, each with the requirements that take it', async () => {
    const help = await printed('resolve', '--help');
    expect(help).toMatch(/Answers:\n {2}--text <text> +a note or ticket: /);
    expect(help.indexOf('--abandon')).toBeLessThan(help.indexOf('--partner-account'));
  });
});
