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

/** What Temporal's parser makes of a query: its words, and each quoted text as a list of one. */
function parsed(query: string): (string | [string])[] {
  const words = /'(?:[^'\\]|''|\\.)*'|--.*|[^\s'(),]+|[(),]/gsu;
  expect(query.replace(words, '').trim()).toBe('');
  return (query.match(words) ?? []).map((word) =>
    word.startsWith("'") ? [word.slice(1, -1).replace(/\\(.)|''/gsu, (_, escaped) => escaped ?? "'")] : word,
  );
}

/** Texts that end a quoted one, begin a comment or are long, between any others. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom("'", '\\', "\\'", '"', ' OR ', '-- ', '/*', '#', ')', '%', ';', '`'),
      fc.string(),
    ),
  )
  .map((parts) => parts.join('').replace(/\p{Cc}/gu, ''));

describe('a visibility query', () => {
  it('keeps its structure with any text, which stays one value', () => {
    fc.assert(
      fc.property(hostile, hostile, (text, other) => {
        fc.pre(text !== '');
        const filter = {
          types: ['merchantBoarding'],
          agent: text,
          partnerAccounts: ['west', other],
        } as const;
        expect(parsed(visibilityQuery(filter))).toEqual([
          ...[
            'WorkflowType',
            'IN',
            '(',
            ['merchantBoarding'],
            ')',
            'AND',
            'AgentProfileId',
            '=',
            [text],
            'AND',
          ],
          ...(other === ''
            ? ['(', 'PartnerAccount', 'IS', 'NULL', 'OR', 'PartnerAccount', 'IN', '(', ['west'], ')', ')']
            : ['(', 'PartnerAccount', 'IN', '(', ['west'], ',', [other], ')', ')']),
        ]);
        const parts = all(
          startsWith('WorkflowId', text),
          isNot('TaskQueue', text),
          isIn('TaskQueue', [text]),
        );
        expect(parsed(parts)).toEqual([
          ...['WorkflowId', 'STARTS_WITH', [text], 'AND', 'TaskQueue', '!=', [text], 'AND'],
          ...['TaskQueue', 'IN', '(', [text], ')'],
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
