/** Records what a release promises: `npm run record-contract -- 0.1.0`. A test compares all that come after it. */
import { writeFile } from 'node:fs/promises';
import { contractLines } from './contract.js';

const [release] = process.argv.slice(2);
if (!release) throw new Error('name the release: npm run record-contract -- 0.1.0');
const file = new URL(`../test/contract/${release}.txt`, import.meta.url);
await writeFile(file, `${contractLines().join('\n')}\n`);
