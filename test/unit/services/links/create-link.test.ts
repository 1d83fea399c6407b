import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needsNoApprover, readTemplates, templatesFor } from '../../../../src/services/links/create-link.js';

const CHECK = {
  name: 'voided check',
  kinds: ['underwriting-note'],
  words: ['Voided check'],
  text: 'Please send a photo.',
  wants: { kind: 'documents', names: ['Voided check'] },
};

function fileOf(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'gangway-templates-')), 'templates.json');
  writeFileSync(file, text);
  return file;
}

describe('templates', () => {
  it('are those of the kind, with one of their words in the text', () => {
    const templates = readTemplates(
      fileOf(
        [CHECK, { ...CHECK, name: 'any', kinds: undefined, words: undefined }]
          .map((each) => JSON.stringify(each))
          .join('\n'),
      ),
    );
    const namesFor = (kind: 'ticket' | 'underwriting-note', detail: string) =>
      templatesFor(templates, { kind, title: 'Note', detail }).map(({ name }) => name);
    expect(namesFor('underwriting-note', 'We need a VOIDED CHECK.')).toEqual(['voided check', 'any']);
    expect(namesFor('underwriting-note', 'We need a letter.')).toEqual(['any']);
    expect(namesFor('ticket', 'A voided check.')).toEqual(['any']);
  });

  it.each([
    ['[', 'LINK_TEMPLATES_FILE: line 1: '],
    [JSON.stringify({ ...CHECK, wants: { kind: 'code' } }), 'LINK_TEMPLATES_FILE: line 1: wants'],
    [`\n${JSON.stringify({ ...CHECK, secret: 'hunter2' })}`, 'LINK_TEMPLATES_FILE: line 2: '],
  ])('in a bad file are refused, and nothing of it is quoted: %#', (text, message) => {
    const read = () => readTemplates(fileOf(text));
    expect(read).toThrow(message);
    expect(read).not.toThrow('hunter2');
  });

  it('in a missing file are refused', () => {
    expect(() => readTemplates('/nowhere/templates.json')).toThrow(
      'LINK_TEMPLATES_FILE: cannot be read (ENOENT)',
    );
  });
});

// Alone catches an operator who sends a correction of a merchant, or what four eyes cover, or the proposal of a colleague.
it('an operator confirms a text or documents of a merchant, and nothing else', () => {
  const requirement = { fourEyes: ['documents'] } as never;
  const actor = 'the merchant (L-7k2m9q4x8v3r5t6w)';
  const by = (proposer: string, kind: string) =>
    needsNoApprover(requirement, { actor: proposer, answer: { kind } } as never);
  expect([by(actor, 'text'), by(actor, 'documents'), by(actor, 'correction')]).toEqual([true, false, false]);
  expect([by('Ada Park (ada-17)', 'text'), by('THE MERCHANT (L-7k2m9q4x8v3r5t6w)', 'text')]).toEqual([
    false,
    false,
  ]);
  expect(needsNoApprover(undefined, { actor, answer: { kind: 'text', text: '' } })).toBe(false);
});
