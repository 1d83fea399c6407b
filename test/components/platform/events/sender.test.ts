import dns from 'node:dns';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { OutboundEvent } from '../../../../src/messages/outbound-events.js';
import { EventSender, isAllowed } from '../../../../src/platform/events/sender.js';
import { SECRET, subscriber } from '../../../rigs/events/subscriber.js';

const EVENT: OutboundEvent<'onboarding.completed.v1'> = {
  specversion: '1.0',
  id: 'run-1.6',
  source: '/gangway/default',
  type: 'onboarding.completed.v1',
  subject: 'merchant-boarding-m-1',
  time: '2026-01-05T12:00:00.000Z',
  sequence: '00000006',
  datacontenttype: 'application/json',
  data: { workflowId: 'merchant-boarding-m-1', workflowType: 'merchantBoarding', outcome: 'boarded' },
};

const OTHER = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

const guarded = new EventSender({ secrets: [SECRET], toLoopback: false });
const open = new EventSender({ secrets: [OTHER, SECRET], toLoopback: true });
afterAll(() => Promise.all([guarded.close(), open.close()]));

describe('an address', () => {
  const PUBLIC = ['203.0.114.9', '8.8.8.8', '2606:4700::1111'];
  const LOOPBACK = ['127.0.0.1', '::1', '::ffff:127.0.0.1'];
  const PRIVATE = [
    '0.0.0.0',
    '::',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.169.254',
    '224.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    'fc00::1',
    'fe80::1',
    '::ffff:10.0.0.1',
    '64:ff9b::10.0.0.1',
    '2002:a00:1::',
  ];
  const rows = (addresses: readonly string[], isOpen: boolean, isOpenToLoopback: boolean) =>
    addresses.map((address) => [address, isOpen, isOpenToLoopback] as const);

  it.each([...rows(PUBLIC, true, true), ...rows(LOOPBACK, false, true), ...rows(PRIVATE, false, false)])(
    '%s may be called: %s, and where loopback is allowed: %s',
    (address, isOpen, isOpenToLoopback) => {
      expect([isAllowed(address, false), isAllowed(address, true)]).toEqual([isOpen, isOpenToLoopback]);
    },
  );
});

describe('a sender', () => {
  it.each([
    ['an address', (port: string) => `http://127.0.0.1:${port}/events`],
    ['an address in another notation', (port: string) => `http://2130706433:${port}/events`],
    ['an address inside another one', (port: string) => `http://[::ffff:127.0.0.1]:${port}/events`],
    ['a name that resolves to it', (port: string) => `http://localhost:${port}/events`],
  ])('sends nothing to this machine by %s', async (_, urlAt) => {
    const inside = await subscriber();
    const sent = guarded.send(EVENT, urlAt(new URL(inside.url).port));
    await expect(sent).rejects.toThrow(/private address/);
    expect(inside.received).toEqual([]);
  });

  it('sends nothing to a name that has a private address among others', async () => {
    const addresses = ['203.0.114.9', '10.0.0.7'].map((address) => ({ address, family: 4 }));
    const lookup = vi.spyOn(dns, 'lookup').mockImplementation(((...values: unknown[]) => {
      const called = values.at(-1) as (error: null, matches: typeof addresses) => void;
      called(null, addresses);
    }) as never);
    onTestFinished(() => lookup.mockRestore());
    const sent = guarded.send(EVENT, 'https://crm.example.com/events');
    await expect(sent).rejects.toThrow(/private address/);
  });

  it('signs with each secret, so that a subscriber needs only one of them', async () => {
    for (const secret of [SECRET, OTHER]) {
      const inside = await subscriber(secret);
      expect(await open.send(EVENT, inside.url)).toEqual({ status: 204 });
      expect(inside.received).toHaveLength(1);
      expect(inside.received[0]?.body).toBe(
        '{"specversion":"1.0","id":"run-1.6","source":"/gangway/default","type":"onboarding.completed.v1",' +
          '"subject":"merchant-boarding-m-1","time":"2026-01-05T12:00:00.000Z","sequence":"00000006",' +
          '"datacontenttype":"application/json","data":{"workflowId":"merchant-boarding-m-1",' +
          '"workflowType":"merchantBoarding","outcome":"boarded"}}',
      );
    }
  });

  it('is rejected by a subscriber with another secret', async () => {
    const stranger = await subscriber(`whsec_${Buffer.alloc(32, 1).toString('base64')}`);
    expect(await open.send(EVENT, stranger.url)).toEqual({ status: 401 });
  });

  /** All forms of the header: test/unit/platform/http/deadline.test.ts. */
  it.each<[string, object]>([
    ['3600', { status: 503, retryAfterMs: 3_600_000 }],
    ['soon', { status: 503 }],
    ['-5', { status: 503 }],
    ['0', { status: 503 }],
  ])('reports the Retry-After %j in milliseconds, or ignores it', async (header, expected) => {
    const busy = await subscriber();
    busy.response = { status: 503, headers: { 'retry-after': header } };
    expect(await open.send(EVENT, busy.url)).toEqual(expected);
  });

  it('follows no redirect', async () => {
    const target = await subscriber();
    const inside = await subscriber();
    inside.response = { status: 307, headers: { location: target.url } };
    expect(await open.send(EVENT, inside.url)).toEqual({ status: 307 });
    expect(target.received).toEqual([]);
  });
});
