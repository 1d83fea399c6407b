import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { SHARED_STYLE } from '../reports/style.js';

/** A file that pages load. Its path changes with its content, so browsers may keep it. */
export interface Asset {
  readonly path: string;
  readonly contentType: string;
  readonly content: Buffer;
  readonly gzipped: Buffer;
}

/** @param content default: the file that the build puts into dist/console */
function asset(
  file: string,
  contentType: string,
  content = readFileSync(new URL(`../../dist/console/${file}`, import.meta.url)),
): Asset {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 12);
  return { path: `/assets/${hash}-${file}`, contentType, content, gzipped: gzipSync(content) };
}

export const ASSETS = {
  /** Styles of charts, tables and facts, as in the pages of the command line. */
  shared: asset('shared.css', 'text/css; charset=utf-8', Buffer.from(SHARED_STYLE)),
  style: asset('style.css', 'text/css; charset=utf-8'),
  script: asset('client.js', 'text/javascript; charset=utf-8'),
};
