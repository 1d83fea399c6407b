import { describe, expect, it } from 'vitest';
import { Interrupted } from '../../../../src/apps/command/cli/errors.js';
import { type Check, ok, verdictsOf } from '../../../../src/apps/command/system/doctor/check.js';

const check = (run: Check['run']): Check => ({ name: 'store', fix: 'correct STORE', run });
const never = () => new Promise<never>(() => undefined);
const uninterrupted = () => new AbortController().signal;

describe('a check of doctor', () => {
  const failing = (message: string) => check(() => Promise.reject(new Error(message)));
  const again = 'run "gangway doctor" again when the system is less busy';

  it.each<[string, Check, ReturnType<typeof ok>[] | object[]]>([
    ['as it returns', check(async () => [ok('fine')]), [ok('fine')]],
    [
      'wrong when it fails, on one line and with its fix',
      failing('refused\n  twice'),
      [{ state: 'wrong', detail: 'refused; twice', fix: 'correct STORE' }],
    ],
    [
      'unknown when it fails, and a failure proves nothing',
      { name: 'keys', run: failing('Temporal is busy').run },
      [{ state: 'unknown', detail: 'Temporal is busy', fix: again }],
    ],
  ])('is %s', async (_, of, verdicts) => {
    expect(await verdictsOf(of, uninterrupted())).toEqual(verdicts);
  });

  it('is unknown when it takes longer than its bound, and its calls are canceled', async () => {
    let input: AbortSignal | undefined;
    const silent = check((signal) => {
      input = signal;
      return never();
    });
    expect(await verdictsOf(silent, uninterrupted(), 20)).toEqual([
      { state: 'unknown', detail: 'no result after 0.02 s', fix: again },
    ]);
    expect(input?.aborted).toBe(true);
  });

  it('ends at once when the command is interrupted', async () => {
    const interruption = new AbortController();
    const ending = verdictsOf(check(never), interruption.signal);
    interruption.abort(Interrupted.by('SIGINT'));
    await expect(ending).rejects.toThrow(Interrupted);
  });
});
