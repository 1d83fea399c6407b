import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import type { NotificationType, webhook } from '../../../partners/banking/requests.js';
import { Deadline } from '../../../platform/http/deadline.js';
import type { Faults } from '../faults.js';
import { Refusal } from '../routes.js';
import { pageOfItems, Store } from '../store.js';
import type { BankingHandlers } from './users.js';

/** The payload of a webhook. The contract shows none; this one is assumed. */
interface WebhookPayload {
  readonly notificationType: NotificationType;
  readonly profileId: number;
  readonly merchantProfileId: number | null;
  /** `bankingStatus`; for a card the number of its status, for a lock `Locked` or `Unlocked`. */
  readonly status: string | number;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly paymentCardId?: string;
}

/** A registration with its pending deliveries, which are sent one at a time, in order. */
interface Receiver extends z.output<typeof webhook> {
  readonly id: number;
  queue?: Promise<void>;
  held?: { readonly payload: WebhookPayload; readonly release: NodeJS.Timeout };
}

interface Delivery {
  readonly webhookId: number;
  readonly payload: WebhookPayload;
  /** The status of each attempt; 0 for none. */
  readonly attempts: number[];
}

const ATTEMPTS = 4;
const FIRST_WAIT_MS = 100;
const TIMEOUT_MS = 5_000;

export class Webhooks {
  readonly deliveries: Delivery[] = [];
  readonly receivers = new Store<Receiver>({
    kind: 'webhook',
    id: Number,
    render: ({ id, name, url, notificationType }) => ({ id, name, url, notificationType }),
  });
  readonly #closing = new AbortController();

  constructor(
    private readonly faults: Faults,
    private readonly record: (operation: 'createWebhook', id: number) => void,
  ) {}

  readonly handlers = {
    createWebhook: (webhook, user) => {
      const isThere = this.receivers
        .of(user)
        .some(({ url, notificationType: type }) => url === webhook.url && type === webhook.notificationType);
      if (isThere) throw new Refusal(409, 'A webhook with this url and notificationType exists');
      const { id } = this.receivers.create({ ...webhook }, user);
      this.record('createWebhook', id);
      return { success: true, id };
    },
  } satisfies BankingHandlers;

  report(partnerId: number, payload: WebhookPayload): void {
    for (const receiver of this.receivers.of({ partnerId }))
      if (receiver.notificationType === payload.notificationType) this.#send(receiver, payload);
  }

  close(): void {
    for (const { held } of this.receivers.of()) clearTimeout(held?.release);
    this.#closing.abort();
  }

  #send(receiver: Receiver, payload: WebhookPayload): void {
    if (receiver.held) {
      this.#enqueue(receiver, payload);
      this.#release(receiver);
      return;
    }
    const plan = this.faults.nextOfDelivery();
    if (plan?.fault === 'reorder-webhooks') {
      const release = setTimeout(() => this.#release(receiver), plan.milliseconds).unref();
      receiver.held = { payload, release };
      return;
    }
    this.#enqueue(receiver, payload);
    if (plan?.fault === 'duplicate-webhooks') this.#enqueue(receiver, payload);
  }

  #release(receiver: Receiver): void {
    const { held } = receiver;
    if (!held) return;
    clearTimeout(held.release);
    delete receiver.held;
    this.#enqueue(receiver, held.payload);
  }

  #enqueue(receiver: Receiver, payload: WebhookPayload): void {
    const delivery: Delivery = { webhookId: receiver.id, payload, attempts: [] };
    this.deliveries.push(delivery);
    receiver.queue = (receiver.queue ?? Promise.resolve()).then(() => this.#deliver(receiver, delivery));
  }

  async #deliver({ url }: Receiver, { payload, attempts }: Delivery): Promise<void> {
    const { signal } = this.#closing;
    for (let wait = FIRST_WAIT_MS; attempts.length < ATTEMPTS && !signal.aborted; wait *= 2) {
      const deadline = new Deadline({ ms: TIMEOUT_MS, until: signal });
      attempts.push(await post(url, payload, deadline.signal));
      deadline.release();
      const status = attempts.at(-1) ?? 0;
      if (status >= 200 && status <= 299) return;
      await sleep(wait, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}

async function post(url: string, payload: WebhookPayload, signal: AbortSignal): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(payload);
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return response.status;
  } catch {
    return 0;
  }
}

interface Notification {
  readonly id: number;
  readonly createdDate: string;
  readonly subject: string | null;
  readonly body: string | null;
  readonly group: 'Notifications' | 'Messages' | 'Campaigns' | 'CardholderAgreement';
  readonly level: 'Info' | 'Warning';
  dateRead: string | null;
  readonly metaData: Readonly<Record<string, string | null>> | null;
}

const TAKE = 100;

export class Notifications {
  readonly all = new Store<Notification>({ kind: 'notification', id: (number) => 6_000 + number });

  constructor(
    private readonly now: () => number,
    private readonly record: (operation: 'markNotificationRead', id: number) => void,
  ) {}

  add(partnerId: number, notification: Partial<Notification> & Pick<Notification, 'subject' | 'body'>): void {
    this.all.add({ partnerId }, (id) => ({
      createdDate: this.#today(),
      group: 'Messages',
      level: 'Info',
      metaData: null,
      dateRead: null,
      ...notification,
      id: Number(id),
    }));
  }

  readonly handlers = {
    /** Every notification, whatever the filters ask for. */
    listNotifications: ({ skip = 0, take = TAKE }, user) => {
      if (user.profileId === undefined) throw new Refusal(404, 'The user has no banking profile');
      return pageOfItems(this.all.of(user), skip, take);
    },
    markNotificationRead: ({ id }, user) => {
      this.all.get(id, user).dateRead ??= this.#today();
      this.record('markNotificationRead', id);
      return {};
    },
  } satisfies BankingHandlers;

  #today(): string {
    return new Date(this.now()).toISOString();
  }
}
