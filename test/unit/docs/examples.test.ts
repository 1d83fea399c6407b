import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'unbash';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SECTIONS } from '../../../scripts/settings.js';
import { answerRequest } from '../../../src/apps/receiver/api/shapes.js';
import { clientLine } from '../../../src/apps/receiver/clients.js';
import { eventTypes } from '../../../src/apps/receiver/event-routes.js';
import { problem } from '../../../src/apps/receiver/openapi.js';
import { faultPlan } from '../../../src/apps/sandbox/faults.js';
import { merchantBoardingInput, NO_ACCOUNTS } from '../../../src/messages/inputs.js';
import { resolveRequirement } from '../../../src/messages/requirements.js';
import { operationName } from '../../../src/partners/catalogue.js';
import { PARTNERS, SYSTEM_NAMES } from '../../../src/partners/descriptors.js';
import { personLine } from '../../../src/services/inbox/people.js';
import { templateSchema } from '../../../src/services/links/create-link.js';
import { answerBody, programAnswer } from '../../../src/temporal/program-requests.js';
import { pastedBlocks } from '../../rigs/docs/pasted.js';
import { blocksOf, commandsOf, inlineCodeOf, PAGES } from '../../rigs/docs.js';

/** All blocks of code on all pages. */
const BLOCKS = PAGES.flatMap((page) => blocksOf(page).map((block) => ({ page, ...block })));

/** The check of every block of a language, in this file or in another one, with words of it. */
const CHECKED: Readonly<Record<string, readonly [file: string, words: string]>> = {
  sh: ['test/unit/docs/commands.test.ts', 'parse, with commands and settings that exist'],
  ini: ['test/unit/docs/examples.test.ts', 'an example of a setting'],
  json: ['test/unit/docs/examples.test.ts', 'an example in JSON'],
};

/** The checks of other blocks, by their page, language and first words. */
const ELSEWHERE: readonly (readonly [
  page: string,
  lang: string,
  start: string,
  file: string,
  words: string,
])[] = [
  ['README.md', 'text', 'WORKFLOW', 'test/e2e/demo.test.ts', "startsWith('WORKFLOW  ')"],
  ['CONTRIBUTING.md', 'text', 'cost of npm test', 'scripts/cost.mjs', 'OVER BUDGET'],
  [
    'docs/changing-workflows.md',
    'ts',
    '// src/workflows/merchant-boarding.ts',
    'test/rigs/worker/changed-build.ts',
    'docs/changing-workflows.md no longer shows a change',
  ],
  [
    'docs/changing-workflows.md',
    'text',
    'merchantBoarding: the history has activity',
    'test/integration/apps/command/replay.test.ts',
    'submitMerchant, the code requests activity changeFees',
  ],
  [
    'docs/commands.md',
    'text',
    '... Ctrl-C ends the wait',
    'test/workflows/apps/command/waiting.test.ts',
    'Ctrl-C ends the wait',
  ],
  [
    'docs/commands.md',
    'text',
    '1 merchant-boarding-birch-bakery would ask',
    'test/workflows/apps/command/import.test.ts',
    'would ask: Pending, 2 underwriting-note',
  ],
  [
    'docs/tutorial-partner.md',
    'text',
    'operation ',
    'test/components/apps/command/probe.test.ts',
    "'docs/tutorial-partner.md'",
  ],
];

/** Blocks that nothing checks, by their page, language and first words, with the reason. */
const UNCHECKED: readonly (readonly [page: string, lang: string, start: string, why: string])[] = [
  ['docs/architecture.md', 'mermaid', 'flowchart LR', 'a picture'],
  ['docs/architecture.md', 'mermaid', 'sequenceDiagram', 'a picture'],
  ['src/at-most-once/README.md', 'mermaid', 'sequenceDiagram', 'a picture'],
  [
    'docs/simulation.md',
    'text',
    '2026-01-05T11:28:33',
    'three lines of one seed, which each change of the code moves',
  ],
];

/** Programs of these pages import the package, so the test of the package compiles them. */
const COMPILED = ['docs/programs.md', 'docs/nexus.md'];
const COMPILER = [
  'test/nightly/package/package.test.ts',
  'those of docs/programs.md and docs/nexus.md',
] as const;

type Block = (typeof BLOCKS)[number];

const isAt = ({ page, lang, value }: Block, [of, language, start]: readonly string[]) =>
  page === of && lang === language && value.startsWith(start ?? '');

const pasted = pastedBlocks();

function isChecked(block: Block): boolean {
  const { page, lang, value } = block;
  if (lang in CHECKED || (lang === 'ts' && COMPILED.includes(page))) return true;
  const lines = value.split('\n');
  const isPrinted = pasted.some(
    ({ page: of, shown: rows }) => of === page && lines.every((line) => rows.includes(line)),
  );
  return isPrinted || [...ELSEWHERE, ...UNCHECKED].some((entry) => isAt(block, entry));
}

describe('each block of code on a page', () => {
  it('has a check, or a reason why there is none', () => {
    const left = BLOCKS.filter((block) => !isChecked(block));
    expect(left.map(({ page, line, lang }) => `${page}:${line} ${lang}`)).toEqual([]);
  });

  it('has a check that is there, and each reason is for one block', () => {
    const entries = [...ELSEWHERE, ...UNCHECKED];
    expect(entries.filter((entry) => BLOCKS.filter((block) => isAt(block, entry)).length !== 1)).toEqual([]);
    const checks = [
      ...Object.values(CHECKED),
      COMPILER,
      ...ELSEWHERE.map(([, , , file, words]) => [file, words] as const),
    ];
    for (const [file, words] of checks) {
      expect(existsSync(file), file).toBe(true);
      expect(readFileSync(file, 'utf8'), file).toContain(words);
    }
  });
});

/** What the schema of a block must accept, by page. */
const JSON_BLOCKS: Readonly<Record<string, z.ZodType | 'a policy of another service'>> = {
  'docs/api.md': z.union([clientLine, z.array(answerBody), problem]),
  'docs/console.md': personLine,
  'docs/links.md': templateSchema,
  'docs/accounts.md': merchantBoardingInput({ posNames: [], accounts: { acme: { posNames: [] } } }),
  'docs/security.md': 'a policy of another service',
};

const FILE = { fileName: 'check.pdf', contentType: 'application/pdf', content: new Uint8Array(4) };

/** What is wrong with the JSON in the arguments of a command. `undefined` if there is none. */
function problemOf(words: readonly string[], json: string): unknown {
  const value = JSON.parse(json);
  const text = words.join(' ');
  const [, system = '', name = ''] = /\bgangway call (\S+) (\S+)/.exec(text) ?? [];
  if (system !== '') {
    const operations = Object.entries(PARTNERS[system as keyof typeof PARTNERS].operations({}));
    const [, operation] = operations.find(([key]) => operationName(key) === name) ?? [];
    // A file is read from its path before the fields are checked.
    const read = Object.entries(value).map(([field, input]) => [
      field,
      /^@/.test(String(input)) ? FILE : input,
    ]);
    return (
      operation?.request.safeParse(Object.fromEntries(read)).error ?? (operation ? undefined : 'no operation')
    );
  }
  if (text.includes(`workflow update execute`) && text.includes(`--name ${resolveRequirement.name}`))
    return programAnswer.safeParse({ id: 'merchant-boarding-harbor-books', ...value }).error;
  if (words[0] === 'curl' && value.specversion !== undefined) {
    const prepared = eventTypes(NO_ACCOUNTS)[value.type]?.prepare(value) ?? 'unknown type';
    return typeof prepared === 'function' ? undefined : prepared;
  }
  if (words[0] === 'curl' && text.includes('/sandbox/faults')) {
    const operations = SYSTEM_NAMES.flatMap((each) =>
      Object.keys(PARTNERS[each].operations({})).map(operationName),
    );
    return faultPlan(SYSTEM_NAMES, operations).safeParse(value).error;
  }
  if (words[0] === 'curl' && text.includes('API_URL/onboardings/')) {
    const { type: _, ...input } = value;
    return merchantBoardingInput().safeParse({ ...input, externalId: 'm-1001' }).error;
  }
  if (words[0] === 'curl' && text.includes('/answer')) return answerRequest.safeParse(value).error;
  return 'no check knows this command';
}

/** Code in the text of all pages. */
const INLINE = PAGES.flatMap((page) => inlineCodeOf(page).map((code) => ({ page, ...code })));

const SCRIPTS = [
  ...BLOCKS.filter(({ lang }) => lang === 'sh'),
  ...INLINE.filter(({ value }) => /^(npx )?gangway .*'[[{]/.test(value)),
];

/** The arguments of commands that are JSON, with the files that they include. */
const ARGUMENTS = SCRIPTS.flatMap(({ page, line, value: script }) =>
  commandsOf(parse(script)).flatMap(({ name, args }) => {
    const words = [name?.text ?? '', ...args.map(({ text }) => text)];
    return words
      .filter((word) => /^'[[{]/.test(word))
      .map((word) => {
        const whole = word.replaceAll(/'"\$\(cat ([\w./-]+)\)"'/g, (_, file: string) =>
          readFileSync(file, 'utf8'),
        );
        return [`${page}:${line} ${words.slice(0, 4).join(' ')}`, words, whole.slice(1, -1)] as const;
      });
  }),
);

describe('an example in JSON', () => {
  it.each(BLOCKS.filter(({ lang }) => lang === 'json'))('$page:$line is valid', ({ page, value }) => {
    const schema = JSON_BLOCKS[page];
    expect(schema).toBeDefined();
    const content = JSON.parse(value);
    if (typeof schema === 'object') expect(schema.safeParse(content).error).toBe(undefined);
  });

  it.each(ARGUMENTS)('%s: is what the command takes', (_, words, json) => {
    expect(problemOf(words, json)).toBe(undefined);
  });

  it('of an answer names a kind and the field of that kind', () => {
    const fields = {
      text: 'yes',
      id: '1001',
      code: '000000',
      choice: 'yes',
      patch: { merchant: { dba: 'A' } },
    };
    const lines = INLINE.flatMap(({ value }) => [
      ...value.matchAll(/^\{"kind": "([\w-]+)"(?:, "(\w+)")?\}$/g),
    ]);
    const wrong = lines.filter(([, kind = '', field = '']) => {
      const own = Object.entries(fields).filter(([name]) => name === field);
      const answer = { kind, ...Object.fromEntries(own) };
      const input = { id: 'm-1001', requirementId: 'note-1', actor: 'olga', reason: 'asked', answer };
      return (field !== '' && own.length === 0) || !programAnswer.safeParse(input).success;
    });
    expect(wrong.map(([text]) => text)).toEqual([]);
    expect(lines.length).toBeGreaterThan(7);
  });

  it.each([
    ['a field of a call', ['gangway', 'call', 'boarding', 'get-status'], '{"merchant": 1}'],
    [
      'an answer',
      ['temporal', 'workflow', 'update', 'execute', '--name', 'resolveRequirement'],
      '{"answer": {"kind": "txt"}}',
    ],
    [
      'an event',
      ['curl', '-d'],
      '{"specversion": "1.0", "type": "merchant.boarding.requested.v1", "data": {}}',
    ],
    ['a command', ['jq'], '{}'],
  ])('is refused for %s that does not exist', (_, words, json) => {
    expect(problemOf(words, json)).not.toBe(undefined);
  });
});

const SHAPES = SECTIONS.flatMap(({ schema, secrets }) =>
  Object.entries(schema.shape).map(([name, field]) => ({ name, field, isSecret: secrets.includes(name) })),
);

/** What is wrong with the value of a setting, which can have the prefix of an account. `...` stands for any value. */
function settingProblem(name: string, value: string): string | undefined {
  const entries = SHAPES.filter((each) =>
    [name, name.replace(/_FILE$/, '')].some((own) => own === each.name || own.endsWith(`_${each.name}`)),
  );
  const setting = entries.sort((one, other) => other.name.length - one.name.length)[0];
  if (!setting || value.includes('...')) return undefined;
  if (name.endsWith('_FILE') && setting.isSecret)
    return value.startsWith('/') ? undefined : 'is not an absolute path';
  return (setting.field as z.ZodType)
    .safeParse(value)
    .error?.issues.map(({ message }) => message)
    .join();
}

/** Assignments of fixed values: in files, before commands, and in the text. */
const ASSIGNED = PAGES.flatMap((page) => {
  const files = blocksOf(page).flatMap(({ lang, value }) =>
    lang === 'ini' || lang === 'sh'
      ? [...value.matchAll(/(?:^|\s)([A-Z][A-Z\d_]+)=([^\s'"$`]+)(?=\s|$)/g)]
      : [],
  );
  const inText = inlineCodeOf(page).flatMap(({ value }) => [
    ...value.matchAll(/^([A-Z][A-Z\d_]+)=([^\s'"$`<]+)$/g),
  ]);
  return [...files, ...inText].map(([, name = '', value = '']) => [page, name, value] as const);
});

describe('an example of a setting', () => {
  it.each(ASSIGNED)('%s: %s can be %s', (_, name, value) => {
    expect(settingProblem(name, value)).toBe(undefined);
  });

  it.each([
    ['GANGWAY_POLL_MIN', 'soon'],
    ['ACME_BOARDING_URL', 'boarding'],
    ['BOARDING_PASSWORD_FILE', 'password'],
  ])('is refused when %s is %s', (name, value) => {
    expect(settingProblem(name, value)).not.toBe(undefined);
  });
});
