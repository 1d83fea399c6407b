/** Finds the prose of Markdown, and of files whose comments begin with `#`. */
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { ESCAPE, type Escape, type Extract, type Kind, type Passage, Text } from './text.js';
import { CODE } from './words.js';

export function fromPage(source: string): Extract {
  const passages = markdown(new Text().add(source, 0), 'doc');
  return { passages, escapes: escapesIn(source, /<!--\s*$/) };
}

/** Each paragraph, heading and table cell; inline code and blocks of code are names. */
export function markdown(text: Text, kind: Kind): Passage[] {
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
      passages.push({ kind, text: passage });
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
  return { passages: hashComments(new Text().add(source, 0)), escapes: escapesIn(source, /#\s*$/) };
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
      // What is indented or in columns is no part of the text around it.
      if (last?.line === line - 1 && before.trim() === '' && !/^ {2}|\S {3}/.test(comment)) {
        last.text.append(text.part(offset - 1, offset)).append(part);
        last.line = line;
      } else {
        blocks.push({ text: part, line: /^ {2}|\S {3}/.test(comment) ? -1 : line });
      }
    }
    offset += content.length + 1;
  }
  return blocks.flatMap(({ text }) => markdown(text, 'comment'));
}

function escapesIn(source: string, opening: RegExp): Escape[] {
  return [...source.matchAll(ESCAPE)]
    .filter(({ index }) => opening.test(source.slice(0, index)))
    .map(({ index, 1: reason = '' }) => ({ offset: index, reason }));
}
