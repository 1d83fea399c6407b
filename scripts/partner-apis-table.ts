/** Writes docs/partner-apis.md: `npm run docs`. */
import { mkdir, writeFile } from 'node:fs/promises';
import { partnerApisMarkdown } from './partner-apis.js';

const docs = new URL('../docs/', import.meta.url);

await mkdir(docs, { recursive: true });
await writeFile(new URL('partner-apis.md', docs), partnerApisMarkdown());
