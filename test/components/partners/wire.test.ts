import { describe, expect, it } from 'vitest';
import { operationName } from '../../../src/partners/catalogue.js';
import type { InspectedResponse } from '../../../src/partners/client.js';
import { catalogue, SYSTEM_NAMES } from '../../../src/partners/descriptors.js';
import { differencesIn } from '../../../src/partners/differences.js';
import type { Seen } from '../../rigs/counting-proxy.js';
import { KNOWN } from '../../rigs/partners/known/known.js';
import { runPartner } from '../../rigs/partners/openapi/running-partners.js';
import { testEnds } from '../../rigs/shared.js';

/** These need no token. */
const ANONYMOUS = ['issueToken', 'confirmSecondFactor'];

/** A request as in `wire`, and its content type. The boundary, which differs for every request, is written as BOUNDARY. */
function onWire({ line, url, request: { headers, body } }: Seen) {
  const { 'content-type': type } = headers;
  const boundary = /boundary=(\S+)/.exec(type ?? '')?.[1] ?? 'BOUNDARY';
  const text = `${line.split(' ')[0]} ${url}${body().length > 0 ? ` ${body()}` : ''}`;
  return { text: text.replaceAll(boundary, 'BOUNDARY'), type: type?.replace(boundary, 'BOUNDARY') };
}

describe.each(SYSTEM_NAMES)('of %s', (system) => {
  const operations = catalogue()[system];

  it('every operation of the contract is in the table', () => {
    expect(Object.keys(KNOWN[system].wire).sort()).toEqual(Object.keys(operations).sort());
    expect(Object.keys(KNOWN[system].calls).sort()).toEqual(Object.keys(operations).sort());
  });

  it.each(Object.entries(KNOWN[system].wire))(
    '%s is on the wire as the contract prints it',
    async (key, text) => {
      const received: InspectedResponse[] = [];
      const partner = await runPartner(system, testEnds, (each) => void received.push(each));
      const { clients, proxy, contract } = partner;
      await KNOWN[system].calls[key]?.(clients[system] as never, { key, clients });
      const seen = proxy.seen();
      const last = seen.at(-1) as Seen;
      const hasJson = text.includes('{') || key === 'restoreSubUser';
      const json = hasJson ? 'application/json' : undefined;
      const type = key === 'uploadAttachment' ? 'multipart/form-data; boundary=BOUNDARY' : json;
      expect(onWire(last)).toEqual({ text, type });
      if (ANONYMOUS.includes(key)) expect(last.request.headers.authorization).toBeUndefined();
      else expect(last.request.headers).toMatchObject(KNOWN[system].headers);

      // Requests and responses keep to the OpenAPI document.
      const ofSystem = seen.filter(({ line }) => system === 'boarding' || !/\/api\/v\d\/merchant/.test(line));
      const verdicts = await Promise.all(ofSystem.map((one) => contract.exchange(one)));
      expect(verdicts.filter(({ problems }) => problems.length > 0)).toEqual([]);
      expect(verdicts.at(-1)?.operationId).toBe(operationName(key));
      expect(String(last.status)).toMatch(/^2\d\d$/);
      // The sandbox has a status that no document names.
      const expected = key.startsWith('reversePayment') ? ['status unknown-status'] : [];
      expect(received.flatMap(differencesIn).map(({ field, kind }) => `${field} ${kind}`)).toEqual(expected);
      expect(received.length).toBeGreaterThan(0);
    },
  );
});
