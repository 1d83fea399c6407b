/** Texts for the terminal. */

/** A text of the catalogue without its Markdown: code as it is, and links by their words. */
export function withoutMarkdown(text: string): string {
  return text
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(/\b_(\w+)_\b/g, '$1')
    .replaceAll('`', '');
}

/** The longest line that is easy to read. */
const WIDEST = 100;

/** A width for text on a stream. */
export function widthOf({ columns = 80 }: { readonly columns?: number }): number {
  return Math.min(columns, WIDEST);
}

/** A paragraph in lines of at most this width. All lines after the first begin with `indent` spaces. */
export function wrapped(text: string, width: number, indent = 0): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && indent + line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`);
}

/** Names with their texts, a paragraph each: the names are a column of their own. */
export function described(rows: readonly (readonly [name: string, text: string])[], width: number): string {
  const column = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows
    .map(([name, text]) => `  ${name.padEnd(column)}${wrapped(withoutMarkdown(text), width, column + 2)}`)
    .join('\n');
}

/**
 * A message in lines of at most this width, each broken between words and with its own indent. A command stays whole, because
 * people copy it.
 */
export function fitted(text: string, width: number): string {
  const fit = (line: string) => {
    const [indent = ''] = /^ */.exec(line) ?? [];
    const rest = line.slice(indent.length);
    const isWhole = line.length <= width || /^(\$ )?gangway /.test(rest);
    return isWhole ? line : indent + wrapped(rest, width, indent.length);
  };
  return text.split('\n').map(fit).join('\n');
}
