import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  all,
  either,
  is,
  isIn,
  isNot,
  isNull,
  startsWith,
  typedQuery,
  UnsearchableText,
} from '../../../src/temporal/query.js';
import { visibilityQuery } from '../../../src/temporal/search.js';

/** What Temporal's parser makes of a query: its words, and each quoted text, in whose place there is a `?`. */
function parsed(query: string): [words: string, texts: string[]] {
  const words = /'(?:[^'\\]|''|\\.)*'|--.*|[^\s'(),]+|[(),]/gsu;
  expect(query.replace(words, '').trim()).toBe('');
  const result = query.match(words) ?? [];
  const [texts, others] = [result.filter(isText), result.map((word) => (isText(word) ? '?' : word))];
  return [
    others.join(' '),
    texts.map((text) => text.slice(1, -1).replace(/\\(.)|''/gsu, (_, escaped) => escaped ?? "'")),
  ];
}

const isText = (word: string) => word.startsWith("'");

/** Texts that end a quoted one, begin a comment or are long, between any others. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom("'", '\\', "\\'", '"', ' OR ', '-- ', '/*', '#', ')', '%', ';', '`'),
      fc.string(),
    ),
  )
  .map((parts) => parts.join('').replace(/\p{Cc}/gu, ''));

// Proves T3.
describe('a visibility query', () => {
  it('keeps its structure with any text, which stays one value', () => {
    fc.assert(
      fc.property(hostile, hostile, (text, other) => {
        fc.pre(text !== '');
        const partnerAccounts = ['west', other];
        const query = visibilityQuery({ types: ['merchantBoarding'], agent: text, partnerAccounts });
        const [accounts, named] =
          other === ''
            ? ['( PartnerAccount IS NULL OR PartnerAccount IN ( ? ) )', ['west']]
            : ['( PartnerAccount IN ( ? , ? ) )', partnerAccounts];
        expect(parsed(query)).toEqual([
          `WorkflowType IN ( ? ) AND AgentProfileId = ? AND ${accounts}`,
          ['merchantBoarding', text, ...named],
        ]);
        const queue = [isNot('TaskQueue', text), isIn('TaskQueue', [text])];
        expect(parsed(all(startsWith('WorkflowId', text), ...queue))).toEqual([
          'WorkflowId STARTS_WITH ? AND TaskQueue != ? AND TaskQueue IN ( ? )',
          [text, text, text],
        ]);
      }),
    );
  });

  it.each([
    ['\\\' OR TaskQueue = "x" -- ', "TaskQueue = '\\\\'' OR TaskQueue = \"x\" -- '"],
    ['x\\', "TaskQueue = 'x\\\\'"],
    ["O'Hara", "TaskQueue = 'O''Hara'"],
  ])('escapes %j', (text, query) => {
    expect(is('TaskQueue', text)).toBe(query);
  });

  it.each(['\0', 'a\0b', 'a\nb', '\u001a', '\u007f', '\u0085', '\ud800'])('refuses %j', (text) => {
    expect(() => is('TaskQueue', text)).toThrow(UnsearchableText);
    expect(() => is('TaskQueue', text)).toThrow(/^".*" has a character that cannot be searched: remove /);
  });

  it('joins its parts, and leaves out those that are not given', () => {
    expect(
      all(undefined, false, '', isNull('TaskQueue'), either(is('TaskQueue', 'a'), typedQuery('b OR c'))),
    ).toBe("TaskQueue IS NULL AND (TaskQueue = 'a' OR (b OR c))");
    expect(isIn('TaskQueue', [])).toBe("WorkflowId = ''");
  });
});
