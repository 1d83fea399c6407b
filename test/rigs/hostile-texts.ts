import { analyse } from 'scslre';

type Pattern = ReturnType<typeof analyse>['parsed']['pattern'];
type Alternative = Pattern['alternatives'][number];
type Element = Alternative['elements'][number];

interface Literal {
  readonly source: string;
  readonly flags: string;
}

/** A text of any length: a beginning, a unit as often as it fits, and an end. */
export interface Hostile {
  readonly before: string;
  readonly unit: string;
  readonly end: string;
}

export function hostileText({ before, unit, end }: Hostile, length: number): string {
  return before + unit.repeat(Math.max(1, Math.floor(length / unit.length))) + end;
}

/** What most patterns can neither begin nor end with. Without the flag `s`, no dot takes a line break. */
const AROUND = [
  ['', '\n'],
  ['', '\0'],
  ['\0', '\0'],
] as const;

/** More repetitions than this are as many as there are characters. */
const FEW = 99;

/**
 * Texts that are slow for a pattern that backtracks. Each part that the pattern repeats is repeated behind what precedes the part,
 * and so is each beginning of the pattern, which the search then tries at each place.
 */
export function hostileTexts(literal: Literal): Hostile[] {
  const { pattern } = analyse(literal, { maxReports: 0 }).parsed;
  const samples = new Samples(literal);
  const texts = new Map<string, Hostile>();
  const add = (before: string, unit: string) => {
    if (unit === '') return;
    for (const [first, end] of AROUND)
      texts.set(JSON.stringify([first, before, unit, end]), { before: first + before, unit, end });
  };
  const context = (element: Element, before: string): void => {
    if ('alternatives' in element) for (const each of element.alternatives) visitAll(each, before);
    if (element.type !== 'Quantifier') return;
    context(element.element, before);
    if (element.max <= FEW) return;
    for (const unit of samples.of(element.element)) add(before, unit);
    add('', before + samples.first(element.element));
  };
  const visitAll = ({ elements }: Alternative, before: string): void => {
    let rest = before;
    for (const element of elements) {
      context(element, rest);
      rest += samples.first(element);
    }
  };
  for (const each of pattern.alternatives) visitAll(each, '');
  // Without a repeated part, no text is better than another.
  const whole = pattern.alternatives.map((each) => samples.ofAll(each));
  for (const each of texts.size > 0 ? whole : whole.slice(0, 1)) add('', each);
  return [...texts.values()];
}

/** The signs that a class is tried with, after those that its pattern names: another part may take these, too. */
const SIGNS = 'aA1 \n.-=%@';

/** At most this many signs of a class are repeated. */
const MOST_SIGNS = 4;

/** Short texts that the parts of a pattern match. */
class Samples {
  readonly #signs: readonly string[];
  readonly #flags: string;

  constructor({ source, flags }: Literal) {
    this.#signs = [...new Set(source + SIGNS)];
    this.#flags = flags.replace(/[gym]/g, '');
  }

  of(element: Element): string[] {
    if (!/^Character(?:Set|Class)$/.test(element.type)) return [this.first(element)];
    const isIn = new RegExp(`^${element.raw}$`, this.#flags);
    return this.#signs.filter((sign) => isIn.test(sign)).slice(0, MOST_SIGNS);
  }

  first(element: Element): string {
    if (element.type === 'Character') return String.fromCodePoint(element.value);
    if (element.type === 'Quantifier') return this.first(element.element).repeat(Math.max(1, element.min));
    if (element.type === 'Assertion' || element.type === 'Backreference') return '';
    if ('alternatives' in element) return element.alternatives[0] ? this.ofAll(element.alternatives[0]) : '';
    return this.of(element)[0] ?? '';
  }

  ofAll({ elements }: Alternative): string {
    return elements.map((element) => this.first(element)).join('');
  }
}

/** What 100,000 characters may take. A pattern that backtracks takes seconds, and all others less than 5 ms. */
const MOST_MS = 50;

/**
 * Why a reader of a text takes longer than the text is long, or undefined. Each longer text is read only if the one before was read
 * in time, so the slowest reader cannot stop a test. What is slow but not for its length, as everything is on a slow machine, may
 * take eight times as long for a text four times as long: a reader whose time is a square takes sixteen times.
 */
export async function slowness(read: (length: number) => unknown): Promise<string | undefined> {
  const LONGEST = 100_000;
  for (const length of [28, 1_000, 10_000, LONGEST]) {
    const ms = await leastCpuMs(() => read(length));
    if (ms <= MOST_MS) continue;
    if (length === LONGEST && ms <= 8 * (await leastCpuMs(() => read(LONGEST / 4)))) continue;
    return `${length} characters take ${Math.round(ms)} ms`;
  }
  return undefined;
}

/** Processor time in milliseconds: of this thread, or of the process before Node 24. A busy machine does not stretch it. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1_000;
}

/** The least of three tries, because one may compile or collect garbage. */
async function leastCpuMs(run: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3 && least > MOST_MS; tries++) {
    const before = cpuMs();
    await run();
    least = Math.min(least, cpuMs() - before);
    if (least > 10 * MOST_MS) break;
  }
  return least;
}
