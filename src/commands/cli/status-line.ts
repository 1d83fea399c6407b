import type { Writable } from 'node:stream';

/** The interval between two drawings of a status line, in milliseconds. */
const FRAME_MS = 100;

const FRAMES = ['|', '/', '-', '\\'];

/** Moves the cursor to the begin of the line, and clears the line. */
const CLEAR = '\r\u001b[2K';

/**
 * The last line of a terminal, which is redrawn: a spinner with the current step, or a bar. Printed text appears above it. Does
 * nothing if the stream is not a terminal, or one that cannot move its cursor.
 */
export class StatusLine {
  #draw: (() => string) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isDrawn = false;
  #frame = 0;

  private constructor(
    private readonly stream: Writable,
    /** The columns of the terminal; undefined where no line can be drawn. */
    private readonly width: () => number | undefined,
  ) {}

  /** The status line of a stream, which has only one last line. */
  static of(stream: Writable, width: () => number | undefined): StatusLine {
    const known = LINES.get(stream) ?? new StatusLine(stream, width);
    LINES.set(stream, known);
    return known;
  }

  /** Reports whether it can be shown. */
  get isThere(): boolean {
    return this.width() !== undefined;
  }

  /** Draws this text from now on. */
  show(draw: () => string): void {
    if (!this.isThere) return;
    this.#draw = draw;
    this.#timer ??= setInterval(() => this.#next(), FRAME_MS).unref();
    this.#next();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#draw = undefined;
    this.#clear();
  }

  /** Prints above the line, which the next frame draws again. */
  above(print: () => void): void {
    this.#clear();
    print();
  }

  /** Leaves the terminal to a person who is asked something. */
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
