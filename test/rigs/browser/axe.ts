import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { variants } from '../variants.js';

/** The rules that axe-core applies in a color scheme. In the dark only colors differ, and these two look at them. */
const RULES = {
  light: {},
  dark: { runOnly: ['color-contrast', 'link-in-text-block'] },
} as const satisfies Record<string, axe.RunOptions>;

type Scheme = keyof typeof RULES;

/** What axe-core finds wrong with a page, in light, and every night in dark as well: `dark: color-contrast: .faint`. */
export async function axeFindings(
  page: Page,
  schemes: readonly Scheme[] = variants<Scheme>(['light'], ['dark']),
): Promise<string[]> {
  const matches: string[] = [];
  await page.evaluate(axe.source);
  for (const colorScheme of schemes) {
    // A transition has colors in between.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const violations = (await page.evaluate(
      `axe.run(${JSON.stringify(RULES[colorScheme])}).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ": " + target.join(" "))))`,
    )) as string[];
    matches.push(...violations.map((violation) => `${colorScheme}: ${violation}`));
  }
  return matches;
}
