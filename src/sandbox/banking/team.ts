import type { BankingOperations } from '../../partners/banking/operations.js';
import { Refusal } from '../refusal.js';
import type { Handlers } from '../routes.js';
import type { BankingUser } from './users.js';

type TeamHandlers = Pick<Handlers<BankingOperations, BankingUser>, 'listDepartments' | 'restoreSubUser'>;

/** Departments and authorized sub-users, for administrators only. */
export class Team {
  readonly #departments = [
    { partnerId: 1, id: 31, name: 'Operations', description: 'Day-to-day payments' },
    { partnerId: 1, id: 32, name: 'Finance', description: 'Books and statements' },
    { partnerId: 2, id: 33, name: 'Head office', description: '' },
  ];
  readonly #subUsers = [
    { partnerId: 1, id: 71, departmentId: 31, state: 'deleted' },
    { partnerId: 1, id: 72, departmentId: 31, state: 'inactive' },
    { partnerId: 1, id: 73, departmentId: 32, state: 'active' },
    { partnerId: 2, id: 74, departmentId: 33, state: 'deleted' },
  ];

  constructor(private readonly record: (operation: keyof BankingOperations & string, id: number) => void) {}

  readonly handlers: TeamHandlers = {
    listDepartments: (_, user) => {
      administratorsOnly(user);
      return this.#departments
        .filter(({ partnerId }) => partnerId === user.partnerId)
        .map(({ id, name, description }) => ({
          id,
          name,
          description,
          creator: { id: user.userId, name: user.name },
          authorizedUserCount: this.#subUsers.filter(
            ({ departmentId, state }) => departmentId === id && state === 'active',
          ).length,
        }));
    },
    restoreSubUser: ({ id }, user) => {
      administratorsOnly(user);
      const subUser = this.#subUsers.find((one) => one.id === id && one.state !== 'active');
      if (!subUser) throw new Refusal(404, `no deleted or inactive sub-user ${id}`);
      if (subUser.partnerId !== user.partnerId) {
        throw new Refusal(403, 'The sub-user belongs to another partner');
      }
      subUser.state = 'active';
      this.record('restoreSubUser', id);
      return {};
    },
  };
}

function administratorsOnly({ role }: BankingUser): void {
  if (role === 'client') throw new Refusal(403, 'For administrators only');
}
