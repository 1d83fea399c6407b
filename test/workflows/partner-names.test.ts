import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { WORKFLOW_BUNDLES } from '../../src/worker/bundles.js';

const NAMES = [
  'Not Submitted',
  'Pending Review',
  'RequestChanges',
  'UW Level 1',
  'ApprovedUW',
  'AutoApprovedUW',
  'Denied',
];

// A partner's name of a status is corrected in its client alone, so that running workflows go on with the correction.
it.each(Object.entries(WORKFLOW_BUNDLES))(
  'the %s workflows contain no partner’s name of a status',
  async (_, path) => {
    const code = await readFile(path, 'utf8');
    expect(NAMES.filter((name) => new RegExp(`(?<!\\w)${name}(?!\\w)`).test(code))).toEqual([]);
  },
);
