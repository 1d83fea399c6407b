/** Writes the pages that are made from the code: `npm run docs`. */
import { writeFile } from 'node:fs/promises';
import { GENERATED_PAGES } from './generated-pages.js';

for (const [path, content] of Object.entries(GENERATED_PAGES)) {
  await writeFile(new URL(`../${path}`, import.meta.url), content());
}
