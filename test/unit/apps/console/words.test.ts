import { expect, it } from 'vitest';
import { withLabels } from '../../../../src/apps/console/pages/input-fields.js';
import { partnerStatusLabel } from '../../../../src/apps/console/pages/parts.js';

// Each would catch a name of the code, or of an API, in a text that people read.
it.each<[string, Parameters<typeof withLabels>[0], string, string]>([
  [
    'an uncertain write',
    { kind: 'uncertain-write' },
    'Whether it took effect is unknown (the connection broke before the response (UND_ERR_SOCKET)). Look for dba “Zig Zag” and guid zig-zag.',
    'Whether it took effect is unknown (the connection broke before the response). Look for dba “Zig Zag” and external ID zig-zag.',
  ],
  [
    'a new status',
    { kind: 'new-status', choices: ['wants-changes', 'approved'] },
    'Choose: wants-changes (a person changes the application), approved (the partner has approved).',
    'Choose: wants changes (a person changes the application), approved (the partner has approved).',
  ],
  [
    'a rejected field',
    { kind: 'rejected-input', fields: ['holder.website'] },
    'holder.website: cannot be reached (ERR_NO_SITE)',
    'Website: cannot be reached (ERR_NO_SITE)',
  ],
])('the question about %s is in words', (_, requirement, text, words) => {
  expect(withLabels(requirement, text)).toBe(words);
});

it.each([
  ['RequestChanges', 'Changes requested'],
  ['PendingUW', 'Pending underwriting'],
  ['constructor', 'constructor'],
  ['UW Level 1', 'UW Level 1'],
  [null, undefined],
])('the status %s is shown as %s', (status, label) => {
  expect(partnerStatusLabel(status)).toBe(label);
});
