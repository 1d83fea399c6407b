/** A finding of `gangway doctor --json`. */
export interface Finding {
  readonly check: string;
  readonly state: string;
  readonly detail: string;
  readonly fix?: string;
}

export const wrong = (check: string, detail: string, fix: string): Finding => ({
  check,
  state: 'wrong',
  detail,
  fix,
});
