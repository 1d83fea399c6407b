import type { z } from 'zod';
import { fieldProblems } from '../../partners/schema-messages.js';
import { problemText } from '../../partners/text-limits.js';
import { BadSetting } from '../../platform/settings/settings.js';

/** Reads operators' files with a JSON object on each line. Errors name the line without quoting it. */

const MAX_LINES = 1_000;
/**
 * @param use takes each line, in order, and may throw what `bad` makes of a rule
 * @throws {BadSetting} with the first invalid line
 */
export function mapLines<Schema extends z.ZodType, Result>(
  setting: string,
  text: string,
  schema: Schema,
  use: (line: z.output<Schema>, bad: (rule: string) => BadSetting) => Result,
): Result[] {
  const lines = text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [{ line, index }]));
  if (lines.length > MAX_LINES) throw new BadSetting(setting, `has more than ${MAX_LINES} lines`);
  return lines.map(({ line, index }) => {
    const bad = (rule: string) => new BadSetting(setting, `line ${index + 1}: ${rule}`);
    const { data, error } = schema.safeParse(jsonIn(line));
    if (error) throw bad(fieldProblems(error).map(problemText).join('; '));
    return use(data as z.output<Schema>, bad);
  });
}

function jsonIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
