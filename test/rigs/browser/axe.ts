import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe-core finds wrong with a page, in light and in dark: `color-contrast: .faint`. */
export async function axeFindings(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
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
