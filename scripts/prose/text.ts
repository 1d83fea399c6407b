/** Pieces of a file's text, each with the place that it comes from. */

/** Text with the offset in its file of each of its UTF-16 code units. */
export class Text {
  value = '';
  readonly #offsets: number[] = [];

  add(value: string, offset: number): this {
    for (let index = 0; index < value.length; index++) this.#offsets.push(offset + index);
    this.value += value;
    return this;
  }

  /** Stands for something that is not prose. */
  gap(value: string, offset: number): this {
    for (let index = 0; index < value.length; index++) this.#offsets.push(offset);
    this.value += value;
    return this;
  }

  /** Part of it, `from` inclusive, `to` exclusive. */
  part(from: number, to: number): Text {
    const part = new Text();
    part.value = this.value.slice(from, to);
    part.#offsets.push(...this.#offsets.slice(from, to));
    return part;
  }

  append(more: Text): this {
    this.value += more.value;
    for (const offset of more.#offsets) this.#offsets.push(offset);
    return this;
  }

  offset(index: number): number {
    return this.#offsets[index] ?? 0;
  }
}

/** What a passage is; a name may be in code of a document or a string (`name`), or be declared. */
export type Kind = 'doc' | 'comment' | 'message' | 'title' | 'name' | 'declared';

export interface Passage {
  readonly kind: Kind;
  readonly text: Text;
}

/** A comment that lets a finding pass. */
export interface Escape {
  readonly offset: number;
  readonly reason: string;
}

export interface Extract {
  readonly passages: readonly Passage[];
  readonly escapes: readonly Escape[];
}

/** A comment that lets the findings of a line pass: its reason. */
export const ESCAPE = /prose-ignore:[^\S\n]*(.*?)[^\S\n]*(?:\*\/|-->|$)/gm;
