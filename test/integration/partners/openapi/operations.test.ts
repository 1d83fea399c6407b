import { describe, expect, it } from 'vitest';
import { operationName } from '../../../../src/partners/catalogue.js';
import type { Received } from '../../../../src/partners/client.js';
import { differencesIn } from '../../../../src/partners/differences.js';
import { catalogue, SYSTEM_NAMES } from '../../../../src/partners/systems.js';
import { CALLS } from '../../../rigs/partners/calls/calls.js';
import { runPartner } from '../../../rigs/partners/openapi/running-partners.js';
import { shared } from '../../../rigs/shared.js';

describe.each(SYSTEM_NAMES)('client and sandbox keep to the OpenAPI document of %s', (system) => {
  const operations = catalogue()[system];
  const received: Received[] = [];
  const running = shared((until) => runPartner(system, until, (each) => void received.push(each)));

  it('in calls of all operations', () => {
    expect(Object.keys(CALLS[system]).sort()).toEqual(Object.keys(operations).sort());
  });

  it.each(Object.keys(operations))('%s', async (key) => {
    const { clients, proxy, contract } = running();
    const [seenBefore, receivedBefore] = [proxy.seen().length, received.length];
    await CALLS[system][key]?.(clients[system] as never, { key, clients });
    const seen = proxy.seen().slice(seenBefore);
    const ofSystem = seen.filter(({ line }) => system === 'boarding' || !/\/api\/v\d\/merchant/.test(line));
    const verdicts = await Promise.all(ofSystem.map((one) => contract.exchange(one)));
    const problems = verdicts.flatMap(({ operationId, problems: all }) =>
      all.map((one) => [operationId, one]),
    );
    expect(problems).toEqual([]);
    expect(verdicts.at(-1)?.operationId).toBe(operationName(key));
    expect(String(seen.at(-1)?.status)).toMatch(/^2\d\d$/);
    const differences = received.slice(receivedBefore).flatMap(differencesIn);
    // The sandbox has a status that no document names.
    const expected = key.startsWith('reversePayment') ? ['status unknown-status'] : [];
    expect(differences.map(({ field, kind }) => `${field} ${kind}`)).toEqual(expected);
    expect(received.length).toBeGreaterThan(receivedBefore);
  });
});
