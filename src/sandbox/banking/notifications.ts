import type { BankingOperations } from '../../partners/banking/operations.js';
import { Refusal } from '../refusal.js';
import type { Handlers } from '../routes.js';
import { isWithin } from './accounts.js';
import type { BankingUser } from './users.js';

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

/** What a partner's users find in their applications. */
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
