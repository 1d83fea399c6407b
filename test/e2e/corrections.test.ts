import { expect, it } from 'vitest';
import { run } from '../rigs/processes.js';

it('a field that a partner renames is one edit, after which the project compiles and the pages follow', async () => {
  const args = ['scripts/corrections.ts', 'renamed-field', '--only-pages'];
  const { code, stdout } = await run('node_modules/.bin/tsx', args, {});
  expect(stdout.split('\n').map((line) => line.trim().replace(/\s+/g, ' '))).toEqual([
    'renamed-field: the bank renames the field homePhone of an owner to phoneNumber',
    'edited src/partners/banking/requests.ts',
    'transcripts test/integration/partners/banking/wire.test.ts',
    'transcripts test/rigs/sandbox/banking/running-banking.ts',
    'transcripts test/unit/partners/openapi/banking-facts.test.ts',
    'generated docs/partner-apis.md',
    '',
  ]);
  expect(code).toBe(0);
});
