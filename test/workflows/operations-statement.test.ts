import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { OperationRequest } from '../../src/messages/partner-operations.js';
import { countingProxy } from '../rigs/counting-proxy.js';
import { createRig } from '../rigs/rig.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { bankOf } from '../rigs/workflows/bank.js';

const rig = await sharedRig();

const STATEMENT = 'generate-full-statement';

let number = 0;
const generate = (more: Partial<OperationRequest<'statement'>> = {}) => {
  number += 1;
  return bankOf(rig).operate('statement', `${rig.taskQueue}-${number}`, {
    period: '2026-01',
    financialAccountIds: ['fa-501-1'],
    fileFormat: 'CSV',
    ...more,
  });
};

describe('a statement', () => {
  it('of the previous month is that of the month before its start', async () => {
    const statement = await generate({ period: 'previous-month' });
    const { startTime } = await statement.handle.describe();
    const before = new Date(Date.UTC(startTime.getUTCFullYear(), startTime.getUTCMonth() - 1, 1));
    const fileName = `${before.toISOString().slice(0, 7)}-fa-501-1.csv`;
    expect(await statement.outcome()).toMatchObject({ outcome: 'done', fileName });
    expect(await readdir(rig.statementDir)).toContain(fileName);
  });
});

describe('a statement by e-mail', () => {
  const email = 'ada@example.com';

  it('is asked for twice: once for the file, once for the e-mail', async () => {
    const counted = await createRig({ worker: false });
    try {
      const proxy = await countingProxy(counted.sandbox.url, counted.atClose);
      await counted.startWorker({ bankingUrl: proxy.url });
      const input = {
        period: '2026-01',
        financialAccountIds: ['fa-501-1'],
        fileFormat: 'CSV',
        email,
      } as const;
      const statement = await bankOf(counted).operate('statement', counted.taskQueue, input);
      expect(await statement.outcome()).toMatchObject({ outcome: 'done', emailed: true });
      expect(await statement.events()).toEqual(['started', 'statement-saved', 'statement-sent', 'ended']);
      const calls = proxy.seen().filter(({ line }) => !line.includes('/api/auth'));
      expect(calls.map(({ status }) => status)).toEqual([200, 200]);
    } finally {
      await counted.close();
    }
  });

  it.each(['drop-after-commit', '500-before-commit'])(
    '(%s of the one that sends it) is never sent again by itself',
    async (fault) => {
      // The first call is that for the file.
      await rig.sandbox.plan('delay', STATEMENT, { milliseconds: 0 });
      await rig.sandbox.plan(fault, STATEMENT);
      const statement = await generate({ email });
      const { id, title, detail } = await statement.requirement('uncertain-write');
      expect(title).toBe('Outcome unknown: send the statement by e-mail');
      expect(detail).toContain(
        'If it has, adopt 2026-01. If not, look again a few minutes later, and retry only',
      );
      expect(JSON.stringify(await statement.state())).not.toContain(email);
      await statement.resolve(id, { kind: 'adopt', id: '2026-01' });
      expect(await statement.outcome()).toMatchObject({ outcome: 'done', emailed: true });
    },
  );
});
