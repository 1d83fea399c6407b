import { setTimeout as sleep } from 'node:timers/promises';
import { Deadline } from '../../http/deadline.js';
import type { BankingOperations } from '../../partners/banking/operations.js';
import type { NotificationType } from '../../partners/banking/requests.js';
import type { Faults } from '../faults.js';
import { type Handlers, Refusal } from '../routes.js';
import { isWithin } from './accounts.js';
import type { BankingUser } from './users.js';

/** The payload of a webhook. The contract shows none; this one is assumed. */
export interface WebhookPayload {
  readonly notificationType: NotificationType;
  readonly profileId: number;
  readonly merchantProfileId: number | null;
  /** `bankingStatus`; for a card the number of its status, for a lock `Locked` or `Unlocked`. */
  readonly status: string | number;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly paymentCardId?: string;
}

interface Registration {
  readonly id: number;
  readonly partnerId: number;
  name: string;
  url: string;
  notificationType: NotificationType;
}

/** A registration with what is on its way to it: one delivery at a time, in order. */
interface Receiver extends Registration {
  queue: Promise<void>;
  held?: { readonly payload: WebhookPayload; readonly release: NodeJS.Timeout };
}

export interface Delivery {
  readonly webhookId: number;
  readonly payload: WebhookPayload;
  /** The status of each attempt; 0 for none. */
  readonly attempts: number[];
}

type WebhookHandlers = Pick<
  Handlers<BankingOperations, BankingUser>,
  'createWebhook' | 'listWebhooks' | 'updateWebhook' | 'deleteWebhook'
>;

const ATTEMPTS = 4;
const FIRST_WAIT_MS = 100;
const TIMEOUT_MS = 5_000;

/** Webhooks of partners, and what is sent to them. */
export class Webhooks {
  readonly deliveries: Delivery[] = [];
  readonly #receivers = new Map<number, Receiver>();
  readonly #closing = new AbortController();
  #registered = 0;

  constructor(
    private readonly faults: Faults,
    private readonly record: (operation: keyof BankingOperations & string, id: number) => void,
  ) {}

  readonly handlers: WebhookHandlers = {
    createWebhook: (webhook, user) => {
      const isThere = this.of(user.partnerId).some(
        ({ url, notificationType }) => url === webhook.url && notificationType === webhook.notificationType,
      );
      if (isThere) throw new Refusal(409, 'A webhook with this url and notificationType exists');
      const { id } = this.register(user.partnerId, webhook);
      this.record('createWebhook', id);
      return { success: true, id };
    },
    listWebhooks: (_, user) => this.of(user.partnerId).map(webhookRecord),
    updateWebhook: ({ webhookId, ...change }, user) => {
      Object.assign(this.#get(webhookId, user), change);
      this.record('updateWebhook', webhookId);
      return { success: true, id: webhookId };
    },
    deleteWebhook: ({ webhookId }, user) => {
      this.#drop(this.#get(webhookId, user));
      this.record('deleteWebhook', webhookId);
      return { success: true };
    },
  };

  /** Registers a webhook without asking what its URL is like. */
  register(
    partnerId: number,
    webhook: Pick<Registration, 'name' | 'url' | 'notificationType'>,
  ): Registration {
    const id = ++this.#registered;
    const receiver: Receiver = { id, partnerId, ...webhook, queue: Promise.resolve() };
    this.#receivers.set(id, receiver);
    return receiver;
  }

  of(partnerId: number): readonly Registration[] {
    return [...this.#receivers.values()].filter((receiver) => receiver.partnerId === partnerId);
  }

  /** Calls every webhook of the partner that is registered for this. */
  report(partnerId: number, payload: WebhookPayload): void {
    for (const receiver of this.#receivers.values()) {
      const isAbout = receiver.notificationType === payload.notificationType;
      if (isAbout && receiver.partnerId === partnerId) this.#send(receiver, payload);
    }
  }

  close(): void {
    for (const receiver of this.#receivers.values()) this.#drop(receiver);
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
    receiver.queue = receiver.queue.then(() => this.#deliver(receiver, delivery));
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

  #get(id: number, user: BankingUser): Receiver {
    const receiver = this.#receivers.get(id);
    if (!receiver) throw new Refusal(404, `webhook ${id} not found`);
    if (receiver.partnerId !== user.partnerId)
      throw new Refusal(403, 'The webhook belongs to another partner');
    return receiver;
  }

  #drop(receiver: Receiver): void {
    clearTimeout(receiver.held?.release);
    this.#receivers.delete(receiver.id);
  }
}

/** A webhook as it travels. */
export function webhookRecord({ id, name, url, notificationType }: Registration) {
  return { id, name, url, notificationType };
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

type Category = 'Cards' | 'Deposits' | 'WithdrawalsTransfers' | 'Transactions' | 'Other';
type Group = 'Notifications' | 'Messages' | 'Campaigns' | 'CardholderAgreement';

interface Notification {
  readonly id: number;
  readonly partnerId: number;
  readonly category: Category;
  readonly createdDate: string;
  readonly subject: string | null;
  readonly body: string | null;
  readonly group: Group;
  readonly level: 'Info' | 'Warning';
  dateRead: string | null;
  readonly metaData: Readonly<Record<string, string | null>> | null;
}

type NewNotification = Omit<Notification, 'id' | 'dateRead' | 'createdDate'> & {
  readonly createdDate?: string;
};

type NotificationHandlers = Pick<
  Handlers<BankingOperations, BankingUser>,
  'listNotifications' | 'getNotification' | 'markNotificationRead' | 'deleteNotification'
>;

const TAKE = 100;
const FIRST_ID = 6_001;

/** The notifications that a partner's users see in their applications. */
export class Notifications {
  #notifications: Notification[] = [];
  #added = 0;

  /** @param now by the partner's clock */
  constructor(
    private readonly now: () => number,
    private readonly record: (operation: keyof BankingOperations & string, id: number) => void,
  ) {}

  add(notification: NewNotification): void {
    const createdDate = new Date(this.now()).toISOString();
    const id = FIRST_ID + this.#added++;
    this.#notifications.push({ createdDate, ...notification, id, dateRead: null });
    this.#notifications.sort((one, other) => Date.parse(one.createdDate) - Date.parse(other.createdDate));
  }

  readonly handlers: NotificationHandlers = {
    listNotifications: ({ fromDate, toDate, level, group, types, categories, searchTerm, ...page }, user) => {
      if (user.profileId === undefined) throw new Refusal(404, 'The user has no banking profile');
      const { skip = 0, take = TAKE } = page;
      const term = searchTerm?.toLowerCase() ?? '';
      return this.#notifications
        .filter(
          (one) =>
            one.partnerId === user.partnerId &&
            isWithin(one.createdDate, fromDate, toDate) &&
            (level === undefined || one.level === level) &&
            (group === undefined || one.group === group) &&
            (types === undefined || types.includes(one.group)) &&
            (categories === undefined || categories.includes(one.category)) &&
            `${one.subject ?? ''}\n${one.body ?? ''}`.toLowerCase().includes(term),
        )
        .slice(Math.max(0, skip), Math.max(0, skip) + Math.max(0, take))
        .map(notificationRecord);
    },
    getNotification: ({ id }, user) => notificationRecord(this.#get(id, user)),
    markNotificationRead: ({ id }, user) => {
      this.#get(id, user).dateRead ??= new Date(this.now()).toISOString();
      this.record('markNotificationRead', id);
      return {};
    },
    deleteNotification: ({ id }, user) => {
      const deleted = this.#get(id, user);
      this.#notifications = this.#notifications.filter((one) => one !== deleted);
      this.record('deleteNotification', id);
      return {};
    },
  };

  #get(id: number, { partnerId }: BankingUser): Notification {
    const notification = this.#notifications.find((one) => one.id === id);
    if (!notification) throw new Refusal(404, `notification ${id} not found`);
    if (notification.partnerId !== partnerId) {
      throw new Refusal(403, 'The notification belongs to another partner');
    }
    return notification;
  }
}

function notificationRecord({ partnerId: _, category: _1, ...notification }: Notification) {
  return notification;
}
