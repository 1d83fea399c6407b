/** One figure. */
export interface Line {
  readonly what: string;
  readonly figure: number;
  /** Unit of both figures: `events`, `bytes`, `ms`, `a second`. */
  readonly unit: string;
  /** The figure of comparison, measured in the same run on the same server. */
  readonly baseline?: { readonly what: string; readonly figure: number };
  /** `figure` divided by that of `baseline`, to two decimals. */
  readonly ratio?: number;
  /** A bound of the ratio, or of the figure if there is no ratio. */
  readonly goal?: Goal;
  readonly met?: boolean;
  /** The parts of the figure. */
  readonly parts?: Readonly<Record<string, number>>;
}

export type Goal = { readonly atLeast: number } | { readonly atMost: number };

/** A line with its ratio, and whether it meets its goal. */
export function line({
  goal,
  ...input
}: Omit<Line, 'ratio' | 'met' | 'figure'> & { readonly figure: number }): Line {
  const { baseline } = input;
  const figure = rounded(input.figure);
  const ratio = baseline && Number((input.figure / baseline.figure).toFixed(2));
  const output = {
    ...input,
    figure,
    ...(baseline && { baseline: { ...baseline, figure: rounded(baseline.figure) } }),
    ...(ratio !== undefined && { ratio }),
  };
  return goal ? { ...output, goal, met: isMet(ratio ?? figure, goal) } : output;
}

function isMet(value: number, goal: Goal): boolean {
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost;
}

/** Three digits, because times on such machines are not more precise; counts stay whole. */
function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(3));
}

const PARTS_IN_A_ROW = 3;

/** The columns of a line in the table for people. */
export function cells({ what, figure, unit, baseline, ratio, goal, met, parts }: Line): string[] {
  const against = baseline ? `${baseline.figure} ${baseline.what}` : '';
  const records = Object.entries(parts ?? {}).map(([name, count]) => `${count} ${name}`);
  const rows = Array.from({ length: Math.ceil(records.length / PARTS_IN_A_ROW) }, (_, row) =>
    records.slice(row * PARTS_IN_A_ROW, (row + 1) * PARTS_IN_A_ROW).join(', '),
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

/** The columns of a line in a table of goals: those of {@link cells}, without the parts. */
export function goalCells(line: Line): string[] {
  return cells(line).slice(0, -1);
}
