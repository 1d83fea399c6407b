import { expect, it } from 'vitest';
import { findingsIn } from '../../../scripts/prose.js';

it.each([
  ['delivers news', 'delivers a newsletter'],
  ['const announcedAt = 1;', 'publishes the outcome'],
  ['tells others', 'tells the partner'],
  ["import './hints.js';", 'id_token_hint'],
  ['class PartnerLane {}', 'a plane'],
  ['requirement-desk', 'a help desk, a desktop'],
  ['what waits for a person', 'a person waits'],
  ['PUBLIC_FACE', 'publicKey'],
  ['the story of a boarding', 'its history'],
  ['see carryOut', 'carry out a step'],
  ['while Temporal is away', 'is away from, goes away, gateway'],
  ["the partners' books", 'Corner Books'],
  ['Behaviour', 'behavior'],
  ['a licence', 'a license'],
  ['is recognised', 'is recognized'],
  ['a merchant is cancelled', 'isCancelled, `cancelled`, is canceled'],
  ['cancelling', 'CancelledFailure'],
  ['a time-out', 'timeOut'],
  ['the ids of merchants', 'theIds, `ids`'],
  ['see /home/someone/gangway', 'see docs/home/page.md, https://example.com/home/page'],
  ['as issue 12 asks', 'an issue of the sandbox'],
])('finds %j, and not %j', (result, left) => {
  expect(findingsIn('src/a.ts', `\n// ${result}\n`)).toMatchObject([/^src\/a\.ts:2: "/]);
  expect(findingsIn('src/a.ts', `// ${left}`)).toEqual([]);
});

it('finds the name of a file or a folder', () => {
  expect(findingsIn('src/news/a.ts', '')).toEqual([
    'src/news/a.ts:1: "news" -> outbound events; of a partner: status change',
  ]);
});

it('finds traces of a machine, but no words, in what a command or a partner has written', () => {
  // Put together here, because no file of the project has such a path.
  const begins = ['', 'root', 'g'].join('/');
  const [finding, ...others] = findingsIn('test/histories/0.1.0/a.json', `"news"\n"${begins}angway/a.js"`);
  expect(finding).toBe(`test/histories/0.1.0/a.json:2: "${begins}" -> a path within the project`);
  expect(others).toEqual([]);
});
