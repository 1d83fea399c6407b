import { describe, expect, it } from 'vitest';
import { lintFile, lintFolders } from '../../../scripts/prose/lint.js';
import { NAMES, TURNS } from '../../../scripts/prose/words.js';

const rulesIn = (path: string, source: string) => lintFile(path, source).map(({ rule }) => rule);

/** What is found, as `line:column rule`. */
const found = (path: string, source: string) =>
  lintFile(path, source).map(({ line, column, rule }) => `${line}:${column} ${rule}`);

describe('a retired turn', () => {
  const path = (inside?: RegExp) => (inside ? 'src/partners/client.ts' : 'src/workflows/step.ts');
  const texts = (key: 'finds' | 'leaves') =>
    TURNS.flatMap(({ rule, inside, [key]: all }) => all.map((text) => [rule, text, path(inside)] as const));

  it.each(texts('finds'))('%s: is found in %j', (rule, text, file) => {
    expect(rulesIn(file, `/** ${text} */`)).toContain(rule);
    expect(rulesIn(file, `refuse('${text.replaceAll("'", "\\'")}, and so on');`)).toContain(rule);
  });

  it.each(texts('leaves'))('%s: is not found in %j', (rule, text, file) => {
    expect(rulesIn(file, `/** ${text} */`)).not.toContain(rule);
  });
});

describe('a retired name', () => {
  it.each(NAMES.map(({ rule, finds, leaves }) => [rule, finds[0] ?? '', leaves[0] ?? ''] as const))(
    '%s: is found in %s and not in %s',
    (rule, finds, leaves) => {
      expect(rulesIn(`src/${finds}`, '')).toEqual([rule]);
      expect(rulesIn(`src/${leaves}`, '')).toEqual([]);
    },
  );

  it.each([
    ['a variable', 'const lane = 1;', '1:7'],
    ['what a pattern declares', 'const { queue: [lane] } = it;', '1:17'],
    ['a function', 'function lane() {}', '1:10'],
    ['a parameter', 'run((lane) => 1);', '1:6'],
    ['a type', 'interface Lane {}', '1:11'],
    ['a field of a type', 'interface Queue { readonly lane: string }', '1:28'],
    ['a private field', 'class Queue { #lane = 1 }', '1:16'],
    ['a key of an object', 'run({ lane: 1 });', '1:7'],
    ['a string of one word', "run('partner-lane');", '1:6'],
    ['code in a comment', '// See `partnerLane`.', '1:9'],
  ])('is found in %s', (_, source, place) => {
    expect(found('src/queue.ts', source)).toEqual([`${place} name-lane`]);
  });

  it.each([
    ['where it is used', 'queue.lane(lane);'],
    ['in an import', "import { lane } from 'library/lane';"],
    ['in a shorthand, which is a use', 'run({ lane });'],
    ['in sample data', `send('{"lane":1}', 'http://127.0.0.1/lane');`],
  ])('is not found %s', (_, source) => {
    expect(found('src/queue.ts', source)).toEqual([]);
  });

  it('is found once for each folder', () => {
    const folders = lintFolders(['src/news/a.ts', 'src/news/b.ts', 'src/events/a.ts']);
    expect(folders.map(({ path, rule }) => [path, rule])).toEqual([['src/news', 'name-news']]);
  });

  it('of the ledger is looked for among names, not in sample data', () => {
    expect(rulesIn('src/ledger.ts', "const books = 'books@example.com';")).toEqual(['name-books']);
  });
});

describe('the causal "for"', () => {
  it.each([
    'It is repeated, for it is slow.',
    'No URL, for that has ids in it.',
    'A bucket, for pods share no disk.',
    'One at a time, for a second could meet the first.',
    'Use `gangway`, for npm prints lines of its own.',
    'It is read again, for a partner that sends a bare list may not support pages.',
  ])('is found: %s', (text) => {
    expect(rulesIn('README.md', text)).toEqual(['causal-for']);
  });

  it.each([
    'The status in words, for people.',
    'The choices, for a person to pick from.',
    'It waits, for as long as it takes.',
    'A sandbox, for a test that needs a process.',
    'Rows, for example of a table, are read.',
    'It is read from attributes, for which no worker is needed.',
    'A history, for the replay test.',
    'The name, for whoever reads the failure.',
    'For each merchant: one terminal.',
    'They wait for it because it is slow.',
  ])('is not found: %s', (text) => {
    expect(rulesIn('README.md', text)).toEqual([]);
  });
});

describe('English', () => {
  const words = (count: number) => `${'step '.repeat(count - 1).replaceAll('step step', 'step by')}end.`;

  it('allows a sentence of 35 words, and none of 36', () => {
    expect(rulesIn('README.md', words(35))).toEqual([]);
    expect(rulesIn('README.md', `Short. ${words(36)}`)).toEqual(['long-sentence']);
  });

  it('finds a repeated word', () => {
    expect(found('README.md', 'It waits for the the partner.')).toEqual(['1:14 repeated-word']);
    expect(rulesIn('README.md', 'It waits for the `id` the partner sends.')).toEqual([]);
  });

  it('finds a wrong article', () => {
    expect(found('README.md', 'It is an partner.')).toEqual(['1:7 article']);
    expect(rulesIn('README.md', 'An hour, a user, an SSN, a `URL` or an `id`.')).toEqual([]);
  });
});

describe('prose is', () => {
  it.each([
    ['a line comment', 'src/a.ts', 'run(); // Starts it anew.', '1:21'],
    ['line comments as one text', 'src/a.ts', '// This is never\n// away. The partner\n// is away.', '3:4'],
    ['a block comment', 'src/a.ts', '/**\n * Starts it.\n *\n * Again: is away.\n */', '4:11'],
    ['a tag', 'src/a.ts', '/** @param anew starts it anew */', '1:27'],
    ['a string', 'src/a.ts', "fail('It\\'s started anew.');", '1:21'],
    ['a template', 'src/a.ts', `fail(\`\n\${a}: it starts anew\`);`, '2:17'],
    ['a sum of strings', 'src/a.ts', "fail('it may start ' + 'anew');", '1:25'],
    ['a string in a template', 'src/a.ts', `fail(\`it is \${ok ? 'started anew' : ''}\`);`, '1:29'],
    ['a title of a test', 'test/unit/a.test.ts', "it('starts it anew', () => {});", '1:15'],
    ['a row of a table of tests', 'test/unit/a.test.ts', "it.each([['starts anew', 1]])('%s', f);", '1:19'],
    ['a paragraph', 'README.md', 'One `anew`\ntwo anew.', '2:5'],
    ['a heading', 'README.md', '# Start anew', '1:9'],
    ['a cell of a table', 'README.md', '| a | b |\n|---|---|\n| c | start anew |', '3:13'],
    ['an item of a list', 'README.md', '- a\n  - start anew', '2:11'],
    ['the text of a link', 'README.md', '[start anew](anew.md)', '1:8'],
    ['a comment in a block of code', 'README.md', '```sh\nnpm start # starts it anew\n```', '2:23'],
    ['a comment in YAML', 'deploy/a.yaml', 'run: true # starts anew', '1:20'],
    ['an annotation in YAML', 'deploy/a.yml', "summary: '{{ $value }} start anew'", '1:30'],
    ['a message in JSON', 'biome.json', '{ "message": "Start it anew." }', '1:24'],
    ['the purpose of a patch', 'test/seeded-defects/a.patch', 'It starts anew.\n\ndiff --git', '1:11'],
    ['a comment of a script', 'examples/a.sh', '#!/bin/sh\n# Starts it anew.\nstart', '2:13'],
  ])('%s', (_, path, source, place) => {
    expect(found(path, source).filter((line) => !line.includes('name'))).toContain(
      `${place} ${source.includes('anew') ? 'anew' : 'away'}`,
    );
  });

  it.each([
    ['code in a comment', 'src/a.ts', '/** See {@link it anew}, or `start anew`. */'],
    ['a comment for a tool', 'src/a.ts', '// biome-ignore lint/x: it starts anew'],
    ['where a module is', 'src/a.ts', "import it from 'start anew';"],
    ['what a test expects', 'test/unit/a.test.ts', "it('starts', () => expect(text).toBe('starts anew'));"],
    ['a block of code', 'README.md', '```json\n"start it anew"\n```'],
    ['the target of a link', 'README.md', '[text](https://example.com/anew)'],
    ['an expression in YAML', 'deploy/a.yml', 'expr: start anew'],
    ['what a patch changes', 'test/seeded-defects/a.patch', 'It starts.\n\ndiff --git\n+// starts anew'],
    ['what is no comment', 'examples/a.sh', 'echo "start # anew"\n'],
  ])('not %s', (_, path, source) => {
    expect(rulesIn(path, source)).not.toContain('anew');
  });

  it('nothing else in a test: a failure of a rig is', () => {
    const source = "throw new Error('it cannot start anew');";
    expect(rulesIn('test/unit/a.test.ts', source)).toEqual([]);
    expect(rulesIn('test/rigs/a.ts', source)).toEqual(['anew']);
  });
});

describe('an escape', () => {
  it.each([
    ['of its own line', 'src/a.ts', "fail('starts anew'); // prose-ignore: quoted"],
    ['of the line below', 'src/a.ts', "// prose-ignore: quoted\nfail('starts anew');"],
    ['of the comment below', 'src/a.ts', '// prose-ignore: quoted\n/**\n * Starts it.\n * Starts anew.\n */'],
    ['of the template below', 'src/a.ts', '// prose-ignore: quoted\nfail(`starts\nit anew`);'],
    ['in a page', 'README.md', 'Starts anew. <!-- prose-ignore: quoted -->'],
    ['in a script', 'examples/a.sh', '# prose-ignore: quoted\n# Starts anew.\n'],
  ])('lets a finding pass %s', (_, path, source) => {
    expect(found(path, source)).toEqual([]);
  });

  it('ends with its line', () => {
    const source = "// prose-ignore: quoted\nfail('starts anew');\nfail('starts anew');";
    expect(found('src/a.ts', source)).toEqual(['3:14 anew']);
  });

  it('is a comment of its own', () => {
    expect(found('src/a.ts', "// The escape prose-ignore: REASON.\nfail('starts anew');")).toEqual([
      '2:14 anew',
    ]);
  });

  it('is found itself when there is nothing to let pass, and when it gives no reason', () => {
    const unneeded = { rule: 'prose-ignore', line: 1, write: 'nothing: remove it' };
    expect(lintFile('src/a.ts', 'run(); // prose-ignore: quoted')).toMatchObject([unneeded]);
    const unexplained = { rule: 'prose-ignore', line: 1, write: 'prose-ignore: REASON' };
    expect(lintFile('src/a.ts', "fail('starts anew'); // prose-ignore:")).toMatchObject([unexplained]);
  });
});
