/** One figure. */
export interface Line {
  readonly what: string;
  readonly figure: number;
  /** Of `figure`, and of what it is held against: `events`, `bytes`, `ms`, `a second`. */
  readonly unit: string;
  /** What it is held against, measured in the same run on the same server. */
  readonly beside?: { readonly what: string; readonly figure: number };
  /** `figure` to `beside`, to two decimals. */
  readonly ratio?: number;
  /** A bound of the ratio where there is one, else of the figure. */
  readonly goal?: Goal;
  readonly met?: boolean;
  /** What the figure is made of. */
  readonly parts?: Readonly<Record<string, number>>;
}

export type Goal = { readonly atLeast: number } | { readonly atMost: number };

/** A line with its ratio, and whether it is as good as we want it. */
export function line({
  goal,
  ...given
}: Omit<Line, 'ratio' | 'met' | 'figure'> & { readonly figure: number }): Line {
  const { beside } = given;
  const figure = rounded(given.figure);
  const ratio = beside && Number((given.figure / beside.figure).toFixed(2));
  const shown = {
    ...{ ...given, figure },
    ...(beside && { beside: { ...beside, figure: rounded(beside.figure) } }),
    ...(ratio !== undefined && { ratio }),
  };
  return goal ? { ...shown, goal, met: isMet(ratio ?? figure, goal) } : shown;
}

function isMet(value: number, goal: Goal): boolean {
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost;
}

/** Three digits are as many as a time on such a machine has; counts stay whole. */
function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(3));
}

const PARTS_IN_A_ROW = 3;

/** What stands in a column of the table for people. */
export function cells({ what, figure, unit, beside, ratio, goal, met, parts }: Line): string[] {
  const against = beside ? `${beside.figure} ${beside.what}` : '';
  const made = Object.entries(parts ?? {}).map(([name, count]) => `${count} ${name}`);
  const rows = Array.from({ length: Math.ceil(made.length / PARTS_IN_A_ROW) }, (_, row) =>
    made.slice(row * PARTS_IN_A_ROW, (row + 1) * PARTS_IN_A_ROW).join(', '),
  );
  const wanted = goal && ('atLeast' in goal ? `>= ${goal.atLeast}` : `<= ${goal.atMost}`);
  return [
    what,
    `${figure} ${unit}`,
    against,
    ratio === undefined ? '' : String(ratio),
    wanted ? `${wanted}: ${met ? 'met' : 'missed'}` : '',
    rows.join('\n'),
  ];
}
