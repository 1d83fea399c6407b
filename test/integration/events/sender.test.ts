import dns from 'node:dns';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { EventSender, isAllowed } from '../../../src/events/sender.js';
import type { OutboundEvent } from '../../../src/messages/outbound-events.js';
import { SECRET, subscriber } from '../../rigs/events/subscriber.js';

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
  it.each([
    ['203.0.114.9', true],
    ['8.8.8.8', true],
    ['2606:4700::1111', true],
    ['127.0.0.1', false],
    ['::1', false],
    ['0.0.0.0', false],
    ['::', false],
    ['10.1.2.3', false],
    ['172.16.0.1', false],
    ['192.168.1.1', false],
    ['100.64.0.1', false],
    ['169.254.169.254', false],
    ['224.0.0.1', false],
    ['255.255.255.255', false],
    ['192.0.2.1', false],
    ['fc00::1', false],
    ['fe80::1', false],
    ['::ffff:10.0.0.1', false],
    ['::ffff:127.0.0.1', false],
    ['64:ff9b::10.0.0.1', false],
    ['2002:a00:1::', false],
  ])('%s may be called: %s', (address, allowed) => {
    expect(isAllowed(address, false)).toBe(allowed);
  });

  it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])(
    '%s may be called when loopback is allowed',
    (address) => {
      expect(isAllowed(address, true)).toBe(true);
    },
  );

  it.each(['10.1.2.3', '169.254.169.254', 'fc00::1'])(
    '%s may not be called when loopback is allowed',
    (address) => {
      expect(isAllowed(address, true)).toBe(false);
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
    const lookup = vi.spyOn(dns, 'lookup').mockImplementation(((...given: unknown[]) => {
      const called = given.at(-1) as (error: null, found: typeof addresses) => void;
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

  it.each([
    ['in seconds', () => '3600'],
    ['as a date', () => new Date(Date.now() + 3_600_000).toUTCString()],
  ])('reports a Retry-After %s in milliseconds', async (_, header) => {
    const busy = await subscriber();
    busy.response = { status: 503, headers: { 'retry-after': header() } };
    const { status, retryAfterMs = 0 } = await open.send(EVENT, busy.url);
    expect(status).toBe(503);
    expect(retryAfterMs).toBeLessThanOrEqual(3_600_000);
    expect(retryAfterMs).toBeGreaterThan(3_000_000);
  });

  it.each(['soon', '-5', '0'])('ignores the Retry-After %j', async (header) => {
    const busy = await subscriber();
    busy.response = { status: 503, headers: { 'retry-after': header } };
    expect(await open.send(EVENT, busy.url)).toEqual({ status: 503 });
  });

  it('follows no redirect', async () => {
    const target = await subscriber();
    const inside = await subscriber();
    inside.response = { status: 307, headers: { location: target.url } };
    expect(await open.send(EVENT, inside.url)).toEqual({ status: 307 });
    expect(target.received).toEqual([]);
  });
});
