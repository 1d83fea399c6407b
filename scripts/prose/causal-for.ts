/** Distinguishes the causal *for* ("for it is slow") from the preposition ("for people"). */
import nlp from 'compromise';
import { CODE } from './words.js';

/** What no causal *for* begins with. */
const PREPOSITIONAL =
  /^\s*(?:example|instance|as long as|which|whom|whose|good|now|once|ever|later|when|\d+)\b/i;
const SUBJECT =
  /^\s*(?:he|she|it|they|we|I|there|nobody|then|otherwise|as \w+ they|(?:this|that) (?:is|has|was|does|would|can|may|\w+s))\s+[a-z]/i;
const RELATIVE =
  /\b(?:that|who|whom|which|whoever|whatever|what|where|when|whose|how|while|as|if|than|once)\b/gi;

/**
 * Whether a clause with a verb of its own follows: one verb more than there are relative pronouns.
 * @param rest what comes after the word
 */
export function isCausalFor(rest: string): boolean {
  if (PREPOSITIONAL.test(rest)) return false;
  const [clause = ''] = rest.replaceAll(CODE, 'Thing').split(/\.(?=\s|$)|[;:,()!?]|\b(?:and|or|but)\b/, 1);
  if (SUBJECT.test(clause)) return true;
  const relatives = clause.replace(/^\s*that\b/, '').match(RELATIVE)?.length ?? 0;
  return verbGroups(clause) > relatives;
}

/** Groups such as "cannot be done". Infinitives, words after an article and what begins the clause do not count. */
function verbGroups(clause: string): number {
  const terms = nlp(clause).termList();
  const has = (index: number, ...tags: readonly string[]) => tags.some((tag) => terms[index]?.tags?.has(tag));
  const isVerb = (index: number) => has(index, 'Verb', 'Modal', 'Copula', 'Auxiliary');
  const isNoun = (index: number) => index === terms.length - 1 && has(index, 'Infinitive');
  return terms.filter((_, index) => {
    if (index === 0 || !isVerb(index) || isNoun(index)) return false;
    let before = index - 1;
    while (has(before, 'Adverb', 'Negative')) before--;
    return !isVerb(before) && !/^(?:an?|the|each|every|to)$/.test(terms[before]?.normal ?? '');
  }).length;
}
