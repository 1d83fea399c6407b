/**
 * Text from a partner must not control the terminal. Removes all control characters except tabs and line ends, and the marks
 * that reverse the direction of what follows.
 */
export function harmless(text: string): string {
  return text.replace(/[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/gu, '');
}
