/** What the readers of files hand to the rules: pieces of text that keep their place in the file, and escapes. */

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

export interface Passage {
  /** A `name` is a string of one word or code in prose, which may be sample data. A `declared` name is ours. */
  readonly kind: 'prose' | 'name' | 'declared';
  readonly text: Text;
  /** Offset of the comment or the string that the passage is a part of. */
  readonly begin?: number;
}

/** A comment that lets findings pass. */
export interface Escape {
  readonly offset: number;
  readonly reason: string;
}

export interface Extract {
  readonly passages: readonly Passage[];
  readonly escapes: readonly Escape[];
}

/** The text of a comment that lets findings pass, with its reason. */
export const ESCAPE = /^\s*prose-ignore:\s*(.*?)\s*$/;
