import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { listening } from '../../../../rigs/listening.js';
import {
  holderOf,
  type RunningBanking,
  runBanking,
} from '../../../../rigs/sandbox/banking/running-banking.js';

interface Payload {
  readonly status: string | number;
}

/** A receiver on loopback that keeps what it gets. It responds with these statuses, and then with 200. */
async function receiver(...replies: number[]) {
  const received: { contentType: string | undefined; payload: Payload }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const payload = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    received.push({ contentType: request.headers['content-type'], payload });
    response.writeHead(replies.shift() ?? 200).end();
  });
  const url = `http://${await listening(server)}/hook`;
  const statuses = () => received.map(({ payload }) => payload.status);
  return {
    url,
    received,
    statuses,
    /** Waits until this number arrived. */
    came: (count: number) => expect.poll(() => received.length).toBeGreaterThanOrEqual(count),
  };
}

/** Waits until the sandbox has made this number of deliveries, all of them successful. */
async function delivered(banking: RunningBanking, count: number): Promise<void> {
  const over = async () => {
    const { deliveries } = await deliveriesOf(banking);
    return deliveries.map(({ attempts }) => attempts.at(-1) === 200);
  };
  await expect.poll(over).toEqual(Array(count).fill(true));
}

const deliveriesOf = (banking: RunningBanking) =>
  banking.control<{ deliveries: { attempts: number[] }[] }>('GET /sandbox/webhooks');

const listen = (banking: RunningBanking, url: string, type = 'ApplicationStatus') =>
  banking.control('POST /sandbox/webhooks', `{"url":"${url}","notificationType":"${type}"}`);

const fault = (banking: RunningBanking, json: string) => banking.control('POST /sandbox/faults', json);

const move = (banking: RunningBanking, status: string) =>
  banking.control('POST /sandbox/profiles/3001/transition', `{"bankingStatus":"${status}"}`);

describe('a webhook', () => {
  it('reports each status change, without any read', async () => {
    const banking = await runBanking({ pace: { milliseconds: 30 } });
    const { url, came, received, statuses } = await receiver();
    await banking.create('Corner Bakery');
    await listen(banking, url);
    await banking.submit();
    await came(3);
    await delivered(banking, 3);
    expect(statuses()).toEqual(['Submitted', 'PendingUW', 'Approved']);
    expect(received[0]).toEqual({
      contentType: 'application/json',
      payload: {
        notificationType: 'ApplicationStatus',
        profileId: 3001,
        merchantProfileId: 1001,
        status: 'Submitted',
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      },
    });
  });

  it('about cards reports the status and the id of a card', async () => {
    const banking = await runBanking();
    const { url, received } = await receiver();
    await listen(banking, url, 'PaymentCardStatus');
    await banking.call('POST /svc/paymentCard/closePaymentCard', '{"paymentCardId":"card-1001"}');
    await delivered(banking, 1);
    const about = { notificationType: 'PaymentCardStatus', profileId: 501, paymentCardId: 'card-1001' };
    expect(received.map(({ payload }) => payload)).toMatchObject([{ ...about, status: 3 }]);
  });

  it('about locks reports that a profile was locked; one of another type, or of another partner, reports nothing', async () => {
    const banking = await runBanking();
    const [locks, fees, others] = [await receiver(), await receiver(), await receiver()];
    await listen(banking, locks.url, 'LockUnlockProfile');
    await listen(banking, fees.url, 'Fee');
    const ofOther = `{"url":"${others.url}","notificationType":"ApplicationStatus","partnerId":2}`;
    await banking.control('POST /sandbox/webhooks', ofOther);
    await banking.submit(holderOf('waiting'));
    await banking.control('POST /sandbox/profiles/3001/transition', '{"isLocked":true}');
    await delivered(banking, 1);
    expect([locks, fees, others].map(({ statuses }) => statuses())).toEqual([['Locked'], [], []]);
  });

  it('is retried when it is refused, and later ones wait for it', async () => {
    const banking = await runBanking();
    const { url, statuses } = await receiver(500, 503);
    await listen(banking, url);
    await banking.submit(holderOf('waiting'));
    await move(banking, 'InReview');
    await delivered(banking, 2);
    expect(statuses()).toEqual(['Submitted', 'Submitted', 'Submitted', 'InReview']);
    const { deliveries } = await deliveriesOf(banking);
    expect(deliveries.map(({ attempts }) => attempts)).toEqual([[500, 503, 200], [200]]);
  });

  it('can arrive after the one that should follow it', async () => {
    const banking = await runBanking();
    const { url, statuses } = await receiver();
    await listen(banking, url);
    await fault(banking, '{"fault":"reorder-webhooks","milliseconds":20000}');
    await banking.submit(holderOf('waiting'));
    await move(banking, 'InReview');
    await move(banking, 'Approved');
    await delivered(banking, 3);
    expect(statuses()).toEqual(['InReview', 'Submitted', 'Approved']);
  });

  it('that should be overtaken arrives late when none follows', async () => {
    const banking = await runBanking();
    const { url, statuses } = await receiver();
    await listen(banking, url);
    await fault(banking, '{"fault":"reorder-webhooks","milliseconds":300}');
    const start = performance.now();
    await banking.submit(holderOf('waiting'));
    await delivered(banking, 1);
    expect(statuses()).toEqual(['Submitted']);
    expect(performance.now() - start).toBeGreaterThan(290);
  });
});

describe('registrations', () => {
  const E13 = '/api/Partners/webhooks';
  const body = (url: string) => `{"name":"gangway","url":"${url}","notificationType":"Ach"}`;

  it('are listed, replaced and deleted', async () => {
    const banking = await runBanking();
    const created = await banking.call(`POST ${E13}`, body('https://a.example.com'));
    expect(created.json()).toEqual({ success: true, id: 1 });
    await banking.call(`PUT ${E13}/1`, body('https://b.example.com'));
    const list = async () => (await banking.call(`GET ${E13}`)).json();
    expect(await list()).toEqual([
      { id: 1, name: 'gangway', url: 'https://b.example.com', notificationType: 'Ach' },
    ]);
    await banking.call(`DELETE ${E13}/1`);
    expect(await list()).toEqual([]);
    expect(await banking.effects()).toEqual(['create-webhook 1', 'update-webhook 1', 'delete-webhook 1']);
  });
});
