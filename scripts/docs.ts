/** Writes the pages that are made from the code: `npm run docs`. */
import { writeGeneratedPages } from './generated-pages.js';

await writeGeneratedPages();
