/** Finds the prose of Markdown, YAML, JSON and patches, and of files whose comments begin with `#`. */
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { isScalar, parseAllDocuments, visit as visitYaml } from 'yaml';
import { ESCAPE, type Escape, type Extract, type Passage, Text } from './text.js';
import { CODE } from './words.js';

export function fromPage(source: string): Extract {
  return { passages: markdown(new Text().add(source, 0)), escapes: escapesIn(source, /<!--(.*?)-->/g) };
}

/** Each paragraph, heading and table cell; inline code and blocks of code are names. */
export function markdown(text: Text): Passage[] {
  const passages: Passage[] = [];
  const between = ({ position }: Nodes) => text.part(position?.start.offset ?? 0, position?.end.offset ?? 0);

  function phrase(node: Nodes, into: Text): void {
    if (node.type === 'text') {
      into.append(between(node));
    } else if (node.type === 'inlineCode') {
      into.gap(CODE, between(node).offset(0));
      passages.push({ kind: 'name', text: between(node) });
    } else if ('children' in node) {
      for (const child of node.children) phrase(child, into);
    } else {
      into.gap(node.type === 'break' ? ' ' : node.type === 'html' ? '' : CODE, between(node).offset(0));
    }
  }

  function visit(node: Nodes): void {
    if (node.type === 'paragraph' || node.type === 'heading' || node.type === 'tableCell') {
      const passage = new Text();
      phrase(node, passage);
      passages.push({ kind: 'prose', text: passage });
    } else if (node.type === 'code') {
      passages.push({ kind: 'name', text: between(node) });
      if (/^(?:ba|z)?sh$|^ya?ml$|^console$/.test(node.lang ?? ''))
        passages.push(...hashComments(between(node)));
    } else if ('children' in node) {
      for (const child of node.children) visit(child);
    }
  }

  visit(fromMarkdown(text.value, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }));
  return passages;
}

export function fromHashComments(source: string): Extract {
  return { passages: hashComments(new Text().add(source, 0)), escapes: escapesIn(source, /#(.*)$/gm) };
}

function hashComments(text: Text): Passage[] {
  const blocks: { text: Text; line: number }[] = [];
  let offset = 0;
  for (const [line, content] of text.value.split('\n').entries()) {
    const [, before = '', comment] = /^(.*?(?:^|\s))#(?!!) ?(.*)$/.exec(content) ?? [];
    if (comment !== undefined && !/['"$]/.test(before) && !comment.startsWith('prose-ignore')) {
      const end = offset + content.length;
      const part = text.part(end - comment.length, end);
      const last = blocks.at(-1);
      // Indented lines and columns are not part of the text around them.
      if (last?.line === line - 1 && before.trim() === '' && !/^ {2}|\S {3}/.test(comment)) {
        last.text.append(text.part(offset - 1, offset)).append(part);
        last.line = line;
      } else {
        blocks.push({ text: part, line: /^ {2}|\S {3}/.test(comment) ? -1 : line });
      }
    }
    offset += content.length + 1;
  }
  return blocks.flatMap(({ text }) => markdown(text));
}

/** Keys of YAML and JSON whose values people read. Double braces in a value enclose code. */
const READ_BY_PEOPLE = /^(?:summary|description|title|message)$/;

export function fromData(source: string): Extract {
  const { passages, escapes } = fromHashComments(source);
  const text = new Text().add(source, 0);
  const values: Passage[] = [];
  for (const document of parseAllDocuments(source)) {
    visitYaml(document, {
      Pair(_, { key, value }) {
        if (!isScalar(key) || !READ_BY_PEOPLE.test(String(key.value))) return;
        if (!isScalar(value) || typeof value.value !== 'string' || !value.range) return;
        const prose = new Text();
        let from = value.range[0];
        for (const { 0: code, index } of source
          .slice(value.range[0], value.range[1])
          .matchAll(/\{\{.*?\}\}|^['">|]-?|['"]$/g)) {
          prose.append(text.part(from, value.range[0] + index));
          if (code.startsWith('{')) prose.gap(CODE, value.range[0] + index);
          from = value.range[0] + index + code.length;
        }
        values.push({ kind: 'prose', text: prose.append(text.part(from, value.range[1])) });
      },
    });
  }
  return { passages: [...passages, ...values], escapes };
}

/** The text above the first file of a patch. */
export function fromPatch(source: string): Extract {
  const above = new Text().add(source.slice(0, source.search(/^diff /m)), 0);
  return { passages: markdown(above), escapes: [] };
}

function escapesIn(source: string, comment: RegExp): Escape[] {
  return [...source.matchAll(comment)].flatMap(({ index, 1: text = '' }) => {
    const [, reason] = ESCAPE.exec(text) ?? [];
    return reason === undefined ? [] : [{ offset: index, reason }];
  });
}
