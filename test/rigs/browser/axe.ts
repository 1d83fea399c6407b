import axe from 'axe-core';
import type { Page } from 'playwright-core';

const BOTH = ['light', 'dark'] as const;

/** What axe-core finds wrong with a page, in light and in dark: `dark: color-contrast: .faint`. */
export async function axeFindings(
  page: Page,
  schemes: readonly (typeof BOTH)[number][] = BOTH,
): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of schemes) {
    // A transition has colors in between.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.evaluate(axe.source);
    const violations = (await page.evaluate(
      'axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ": " + target.join(" "))))',
    )) as string[];
    found.push(...violations.map((violation) => `${colorScheme}: ${violation}`));
  }
  return found;
}
