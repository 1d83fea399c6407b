/** How tests and demos choose what becomes of a business: its name ends in the name of a scenario, in brackets. */

const DEFAULT = 'straight';
const SUFFIX = /\s*\[([^\]]*)\]\s*$/;

/** The name of the scenario that a business name asks for, whether there is such a scenario or not. */
export function magicValue(name: string): string {
  return SUFFIX.exec(name)?.[1] ?? DEFAULT;
}

/** The business name that is left without a magic value. */
export function plainName(name: string): string {
  return name.replace(SUFFIX, '').trim();
}

/** The scenario that a business name asks for; undefined when its magic value is unknown. */
export function scenarioOf<Scenario>(
  scenarios: Readonly<Record<string, Scenario>>,
  name: string,
): Scenario | undefined {
  const value = magicValue(name);
  return Object.hasOwn(scenarios, value) ? scenarios[value] : undefined;
}

/** What is said of a magic value that no scenario has. */
export function unknownMagicValue(scenarios: Readonly<Record<string, unknown>>, name: string): string {
  const unknown = `ends in the unknown magic value [${magicValue(name)}]`;
  return `${unknown}; GET /sandbox/scenarios lists those there are: ${Object.keys(scenarios).join(', ')}`;
}
