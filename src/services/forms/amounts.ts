import { localeRule } from '../../partners/schema-messages.js';

/**
 * Parses fees as people type them: `3.5%`, `$0.10`. The contract has percentages in percent and amounts in dollars, so `3.5` is
 * `3.5%` in a percent field. A sign of the other unit, a comma or a minus is refused.
 */

const AMOUNT = /^(\$ ?)?(\d{0,9}(?:\.\d{1,6})?)( ?%)?$/;

/** Fee fields whose unit is in the contract. */
const PERCENTAGES: readonly string[] = ['percent', 'cashDiscountRate'];
const DOLLARS: readonly string[] = ['perItem', 'minimumDiscountAmount', 'earlyTerminationFeeAmount'];

const RULES = {
  percent: 'must be a percentage from 0 to 100, such as 3.5 or 3.5%',
  dollars: 'must be an amount in dollars, such as 0.10 or $0.10',
};

/**
 * Returns the number of a typed fee.
 *
 * @param path the field's path: `fees`, `amex`, `qualified`, `percent`
 * @returns undefined for a field that is not a fee, or whose text has its own rule
 */
export function typedFee(
  path: readonly (string | number)[],
  text: string,
): { readonly value: number } | { readonly rule: string } | undefined {
  const name = String(path.at(-1));
  if ((path[0] === 'boarding' ? path[1] : path[0]) !== 'fees') return undefined;
  const unit = PERCENTAGES.includes(name) ? 'percent' : DOLLARS.includes(name) ? 'dollars' : undefined;
  const [, dollar, digits = '', percent] = AMOUNT.exec(text) ?? [];
  const value = digits === '' ? Number.NaN : Number(digits);
  const isInUnit = unit === 'percent' ? !dollar && value <= 100 : unit === 'dollars' ? !percent : false;
  if (unit) return isInUnit && Number.isFinite(value) ? { value } : { rule: localeRule(text) ?? RULES[unit] };
  // The user does not mean the text.
  return (dollar || percent) && !(dollar && percent) && digits !== '' ? { value } : undefined;
}

/** Formats a fee for people: `0.25%`, `$0.10`. */
export function feeText(field: string, value: unknown): string {
  const name = field.slice(field.lastIndexOf('.') + 1);
  if (typeof value !== 'number') return typeof value === 'string' ? value : JSON.stringify(value);
  if (PERCENTAGES.includes(name)) return `${value}%`;
  return DOLLARS.includes(name) ? `$${value.toFixed(Math.max(2, decimals(value)))}` : String(value);
}

function decimals(value: number): number {
  return Math.min(/\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0, 6);
}
