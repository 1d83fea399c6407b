/** A code in words: Markdown with code, emphasis and links as in a page of docs/, and nothing else. */
export interface Explanation {
  /** The meaning, or what happened. */
  readonly meaning: string;
  /** Gangway's next action. */
  readonly next: string;
  /** The action of a person. */
  readonly person: string;
}

export const NOTHING = 'Nothing.';
