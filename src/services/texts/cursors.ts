import { hash } from 'node:crypto';

/** Where the next page of a list begins. Temporal takes a cursor that it did not make for a failure of its own, so each has a check sum. */

/** The cursor of a place; undefined after the last page. */
export function cursorOf(place: unknown): string | undefined {
  if (place === undefined) return undefined;
  const text = Buffer.from(JSON.stringify(place)).toString('base64url');
  return `${text}.${checkSum(text)}`;
}

/** The place of a cursor; undefined when no page had this cursor. */
export function placeOf(cursor: string): unknown {
  const [text = '', sum] = cursor.split('.');
  return sum === checkSum(text) ? JSON.parse(Buffer.from(text, 'base64url').toString()) : undefined;
}

function checkSum(text: string): string {
  return hash('sha256', text).slice(0, 8);
}
