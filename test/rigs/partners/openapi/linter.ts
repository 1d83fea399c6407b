import { createConfig, lintFromString } from '@redocly/openapi-core';

/**
 * The errors and warnings of Redocly's linter about an OpenAPI document, by its recommended rules.
 *
 * @param switchedOff rules that do not fit the document
 */
export async function lint(document: string, switchedOff: readonly string[] = []): Promise<string[]> {
  const rules = Object.fromEntries(switchedOff.map((rule) => [rule, 'off' as const]));
  const config = await createConfig({ extends: ['recommended'], rules });
  const problems = await lintFromString({ source: document, config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
}
