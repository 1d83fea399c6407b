import { describe, expect, it } from 'vitest';
import { byHand } from '../../../../src/partners/by-hand.js';
import { catalogue, SYSTEM_NAMES, type SystemName } from '../../../../src/partners/descriptors.js';
import { KNOWN } from '../../../rigs/partners/known/known.js';
import { type RunningPartner, runPartner } from '../../../rigs/partners/openapi/running-partners.js';
import { sendJson } from '../../../rigs/send.js';
import { shared } from '../../../rigs/shared.js';

type Headers = Readonly<Record<string, string>>;

const WEBHOOK = '{"name":"gangway","url":"https://hooks.example.com/a","notificationType":"Ach"}';

/** The credentials of a caller; none for the name ''. */
async function credentials(
  system: SystemName,
  { sandbox }: RunningPartner,
  caller: string,
): Promise<Headers> {
  if (caller === '') return {};
  return (await KNOWN[system].credentialsOf?.(caller, sandbox)) ?? { authorization: `Bearer ${caller}` };
}

/** Calls without a client, which would refuse the request. */
const statusOf = async ({ proxy }: RunningPartner, line: string, headers: Headers, body?: string) =>
  (await sendJson(proxy.url, line, body, headers)).status;

/** Expects the last response to fit the document. */
function expectDescribed({ proxy, contract }: RunningPartner, operationId: string): void {
  const seen = proxy.seen().at(-1);
  expect(seen && contract.response(seen)).toEqual({ operationId, problems: [] });
}

const someLine = (line: string) => line.replace(/\{\w+\}/g, '1');

describe.each(SYSTEM_NAMES)('of %s, the OpenAPI document has', (system) => {
  const cases = KNOWN[system].refusals.map(([status, operation, line, body, caller = 'sandbox']) => {
    return { status, operation, line, body, caller };
  });
  // A refusal changes nothing, so one sandbox is enough.
  const running = shared(async (until) => {
    const partner = await runPartner(system, until);
    await partner.sandbox.create();
    await partner.clients.banking.createWebhook(JSON.parse(WEBHOOK));
    await byHand(partner.clients.banking).createTicket({ text: 'Help' });
    return partner;
  });

  it.each(cases)('$status of $operation: $line $body, by "$caller"', async (question) => {
    const { status, operation, line, body, caller } = question;
    const partner = running();
    const before = await partner.sandbox.effects();
    expect(await statusOf(partner, line, await credentials(system, partner, caller), body)).toBe(status);
    expectDescribed(partner, operation);
    expect(await partner.sandbox.effects()).toEqual(before);
  });

  it('the response of each operation to a call without credentials', async () => {
    const partner = running();
    for (const { operationId, line } of partner.contract.operations()) {
      const isSignIn = ['issue-token', 'confirm-second-factor'].includes(operationId);
      const refused = isSignIn ? 400 : (KNOWN[system].refused ?? 401);
      expect(await statusOf(partner, someLine(line), {}), operationId).toBe(refused);
      expectDescribed(partner, operationId);
    }
  });

  it('every response that the cases above do not provoke: 429 and 500 of each operation', async () => {
    const partner = running();
    const planned = { 429: '429', 500: '500-before-commit' } as const;
    for (const { operationId, line, statuses } of partner.contract.operations()) {
      for (const [status, fault] of Object.entries(planned)) {
        if (!statuses.includes(Number(status))) continue;
        const plan = JSON.stringify({ fault, operation: operationId, system });
        await partner.sandbox.control('POST /sandbox/faults', plan);
        expect(await statusOf(partner, someLine(line), {}), operationId).toBe(Number(status));
        expectDescribed(partner, operationId);
      }
    }
  });

  it('no failure of a documented operation that is not provoked here', async () => {
    const { contract } = running();
    for (const { operationId, isDocumented, statuses } of contract.operations()) {
      if (!isDocumented) continue;
      const provoked = KNOWN[system].refusals.filter(([, operation]) => operation === operationId);
      const all = new Set([...provoked.map(([status]) => status), 429, 500, KNOWN[system].refused ?? 401]);
      const failures = statuses.filter((status) => status > 299);
      expect(
        failures.filter((status) => !all.has(status)),
        operationId,
      ).toEqual([]);
    }
    const names = Object.keys(catalogue()[system]);
    expect(contract.operations()).toHaveLength(names.length);
  });
});
