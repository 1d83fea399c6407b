/** A code in words: Markdown with code, emphasis and links as in a page of docs/, and nothing else. */
export interface Explanation {
  /** What it means, or what happened. */
  readonly meaning: string;
  /** What Gangway does next. */
  readonly next: string;
  /** What a person does. */
  readonly person: string;
}

export const NOTHING = 'Nothing.';
