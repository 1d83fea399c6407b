import type { Writable } from 'node:stream';
import { span } from '../../../services/texts/time.js';

/** The prefix of every line of progress on standard error, so that scripts can skip it. */
export const PROGRESS = '... ';

interface Progressing {
  readonly status: StatusLine;
  note(text: string): void;
}

/** Shows the step that a command is at: a spinner at a terminal, and elsewhere a line for each change. */
export class Progress {
  readonly #beganAt = Date.now();
  #step: string | undefined;

  constructor(private readonly cli: Progressing) {}

  at(step: string): void {
    if (step === this.#step) return;
    this.#step = step;
    // Remove control characters and line breaks.
    const line = step.replace(/[\s\p{Cc}]+/gu, ' ');
    if (this.cli.status.isThere) this.cli.status.show(() => `${line} (${span(Date.now() - this.#beganAt)})`);
    else this.cli.note(PROGRESS + line);
  }

  end(): void {
    this.cli.status.end();
  }
}

/** The time before a step is shown, in milliseconds. A shorter step is not shown. */
const SOON_MS = 1_000;

/** The intervals at which a changing step is shown, at a terminal and as a line, in milliseconds. */
const AGAIN_MS = { status: 1_000, line: 10_000 };

/** Shows progress while something runs. @param step a function for a step that changes, such as a count */
export async function withProgress<Result>(
  cli: Progressing,
  step: string | (() => string),
  run: (progress: Progress) => Promise<Result>,
): Promise<Result> {
  const progress = new Progress(cli);
  const show = () => {
    if (typeof step === 'string') return progress.at(step);
    progress.at(step());
    timer = setTimeout(show, AGAIN_MS[cli.status.isThere ? 'status' : 'line']).unref();
  };
  let timer = setTimeout(show, SOON_MS).unref();
  try {
    return await run(progress);
  } finally {
    clearTimeout(timer);
    progress.end();
  }
}

/** The text for a start with an unknown outcome. */
export const UNKNOWN_START =
  'it may or may not have started; run the same command again, which starts it or attaches to it';

/** Sets the progress that an interrupted command reports. Undefined if the next step reports its own. */
export type HowFar = (what: string | undefined) => void;

/** Runs a command that changes something. Reports its progress on Ctrl-C and `--timeout`. @param first the initial progress */
export async function reportProgress<Result>(
  cli: Progressing & { readonly signal: AbortSignal },
  run: (isNow: HowFar) => Promise<Result>,
  first = 'nothing was started',
): Promise<Result> {
  let now: string | undefined = first;
  try {
    return await run((what) => {
      now = what;
    });
  } finally {
    if (cli.signal.aborted && now !== undefined) cli.note(`stopped; ${now}`);
  }
}

const CELLS = 30;

/** Returns a bar with the mean pace since `beganAt`: `[=====-----] 12 of 20 started, 19.0/s, 1 s to go`. */
export function bar(
  { count, total, asked: request }: Readonly<Record<'count' | 'total' | 'asked', number>>,
  label: string,
  beganAt: number,
  now = Date.now(),
): string {
  const filled = total === 0 ? CELLS : Math.floor((CELLS * count) / total);
  const perMs = count / Math.max(now - beganAt, 1);
  // The time that people take cannot be estimated.
  const left = total - count - request;
  const rest = count === 0 || left <= 0 ? '' : `, ${span(left / perMs)} to go`;
  const pace = count === 0 ? '' : `, ${(perMs * 1_000).toFixed(1)}/s`;
  const waiting = request > 0 ? `, ${request} waiting for a person` : '';
  return `[${'='.repeat(filled)}${'-'.repeat(CELLS - filled)}] ${count} of ${total} ${label}${pace}${rest}${waiting}`;
}

const FRAMES = ['|', '/', '-', '\\'];

/** Moves the cursor to the beginning of the line, and clears the line. */
const CLEAR = '\r\u001b[2K';

/**
 * The last line of a terminal, which is redrawn: a spinner with the current step, or a bar. Printed text appears above it. Does
 * nothing if the stream is not a terminal, or its cursor cannot move.
 */
export class StatusLine {
  #draw: (() => string) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isDrawn = false;
  #frame = 0;

  private constructor(
    private readonly stream: Writable,
    /** The terminal's width; undefined if no line can be drawn. */
    private readonly width: () => number | undefined,
  ) {}

  /** Returns a stream's status line. A stream has only one. */
  static of(stream: Writable, width: () => number | undefined): StatusLine {
    const statusLine = LINES.get(stream) ?? new StatusLine(stream, width);
    LINES.set(stream, statusLine);
    return statusLine;
  }

  get isThere(): boolean {
    return this.width() !== undefined;
  }

  show(draw: () => string): void {
    if (!this.isThere) return;
    this.#draw = draw;
    this.#timer ??= setInterval(() => this.#next(), 100).unref();
    this.#next();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#draw = undefined;
    this.#clear();
  }

  /** Prints above the line. The next frame redraws the line. */
  above(print: () => void): void {
    this.#clear();
    print();
  }

  /** Hides the line while a person is asked. */
  async hiddenWhile<Result>(ask: () => Promise<Result>): Promise<Result> {
    const draw = this.#draw;
    this.end();
    try {
      return await ask();
    } finally {
      if (draw) this.show(draw);
    }
  }

  #next(): void {
    const columns = this.width() ?? 0;
    const spinner = FRAMES[this.#frame++ % FRAMES.length];
    const line = `${spinner} ${this.#draw?.()}`;
    // A line that fills the terminal would wrap.
    const fitting = line.length < columns ? line : `${line.slice(0, Math.max(columns - 2, 0))}…`;
    this.stream.write(CLEAR + fitting);
    this.#isDrawn = true;
  }

  #clear(): void {
    if (this.#isDrawn) this.stream.write(CLEAR);
    this.#isDrawn = false;
  }
}

const LINES = new WeakMap<Writable, StatusLine>();
