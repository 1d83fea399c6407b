import { hash } from 'node:crypto';

/** Cursors to the next page of a list. Each has a checksum, because Temporal reports an invalid token as its own failure. */

/** Returns the cursor of a place; undefined after the last page. */
export function cursorOf(place: unknown): string | undefined {
  if (place === undefined) return undefined;
  const text = Buffer.from(JSON.stringify(place)).toString('base64url');
  return `${text}.${checkSum(text)}`;
}

/** Returns the place of a cursor; undefined if the cursor is invalid. */
export function parseCursor(cursor: string): unknown {
  const [text = '', sum] = cursor.split('.');
  return sum === checkSum(text) ? JSON.parse(Buffer.from(text, 'base64url').toString()) : undefined;
}

function checkSum(text: string): string {
  return hash('sha256', text).slice(0, 8);
}
