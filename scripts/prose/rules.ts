/** Finds retired turns, causal *for*, long sentences, repeated words and wrong articles in prose, and retired names. */
import type { Root, Sentence } from 'nlcst';
import { toString as textOf } from 'nlcst-to-string';
import retextEnglish from 'retext-english';
import retextIndefiniteArticle from 'retext-indefinite-article';
import retextRepeatedWords from 'retext-repeated-words';
import { unified } from 'unified';
import { visit } from 'unist-util-visit';
import { VFile } from 'vfile';
import { isCausalFor } from './causal-for.js';
import type { Passage, Text } from './text.js';
import { CODE, NAMES, TURNS } from './words.js';

/** A sentence of more words holds two ideas. */
export const LONGEST_SENTENCE = 35;

export interface Finding {
  readonly rule: string;
  readonly offset: number;
  readonly found: string;
  readonly write: string;
  readonly why: string;
}

export function findingsIn(path: string, { kind, text }: Passage): Finding[] {
  if (kind !== 'prose') return names(text, kind === 'declared');
  return distinct([...retired(path, text), ...causal(text), ...english(text)]);
}

function retired(path: string, text: Text): Finding[] {
  return TURNS.filter(({ inside }) => inside?.test(path) ?? true).flatMap(
    ({ rule, find, except, write, why }) => {
      const excused = except ? [...text.value.matchAll(new RegExp(except, 'gi'))] : [];
      const isExcused = (start: number, end: number) =>
        excused.some(({ 0: { length }, index }) => start < index + length && index < end);
      return [...text.value.matchAll(find)]
        .filter(({ 0: found, index }) => !isExcused(index, index + found.length))
        .map(({ 0: found, index }) => ({
          rule,
          offset: text.offset(index),
          found: found.replaceAll(CODE, '…'),
          write,
          why,
        }));
    },
  );
}

/** Two entries of a rule may find the same words. */
function distinct(findings: readonly Finding[]): Finding[] {
  const overlap = (a: Finding, b: Finding) =>
    a.rule === b.rule && a.offset < b.offset + b.found.length && b.offset < a.offset + a.found.length;
  return findings.filter(
    (finding, index) => !findings.slice(0, index).some((other) => overlap(finding, other)),
  );
}

/** The names in a text, each as its words: `TaskQueue` as `task queue`. */
export function names(text: Text, declared: boolean): Finding[] {
  return [...text.value.matchAll(/[A-Za-z][\w-]*/g)].flatMap(({ 0: name, index }) => {
    const words = name
      .replace(/([a-z\d])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3 $2')
      .replace(/[_-]+/g, ' ')
      .toLowerCase();
    return NAMES.filter((entry) => entry.find.test(words) && (declared || !entry.declared)).map(
      ({ rule, write, why }) => ({ rule, offset: text.offset(index), found: name, write, why }),
    );
  });
}

function causal(text: Text): Finding[] {
  return [...text.value.matchAll(/(?<=[,;:)]\s+)for(?=\s)/g)]
    .filter(({ index }) => isCausalFor(text.value.slice(index + 3)))
    .map(({ index }) => ({
      rule: 'causal-for',
      offset: text.offset(index),
      found: excerpt(text.value.slice(index)),
      write: 'because',
      why: '"for" in the sense of "because" is out of use',
    }));
}

const ENGLISH = unified().use(retextEnglish).use(retextRepeatedWords).use(retextIndefiniteArticle);

function english(text: Text): Finding[] {
  const file = new VFile(text.value);
  const tree = ENGLISH.parse(file) as Root;
  ENGLISH.runSync(tree, file);
  const findings: Finding[] = [];
  visit(tree, 'SentenceNode', (sentence: Sentence) => {
    const words = sentence.children.filter(({ type }) => type === 'WordNode').length;
    if (words <= LONGEST_SENTENCE) return;
    findings.push({
      rule: 'long-sentence',
      offset: text.offset(sentence.position?.start.offset ?? 0),
      found: `${words} words: ${excerpt(textOf(sentence))}`,
      write: `sentences of at most ${LONGEST_SENTENCE} words`,
      why: 'one idea per sentence',
    });
  });
  for (const { source, place, actual, expected } of file.messages) {
    const start = place && 'start' in place ? (place.start.offset ?? 0) : 0;
    const end = place && 'end' in place ? (place.end.offset ?? 0) : 0;
    if (text.value.slice(end).trimStart().startsWith(CODE)) continue;
    const repeated = source === 'retext-repeated-words';
    findings.push({
      rule: repeated ? 'repeated-word' : 'article',
      offset: text.offset(start),
      found: excerpt(text.value.slice(start)),
      write: expected?.[0] ?? '',
      why: repeated ? `"${actual}" stands twice` : `not "${actual}" before this word`,
    });
  }
  return findings;
}

/** The first words of a text. */
function excerpt(text: string): string {
  return text.trim().split(/\s+/).slice(0, 6).join(' ').replaceAll(CODE, '…');
}
