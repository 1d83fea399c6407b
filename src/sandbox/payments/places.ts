import type { PaymentsOperations } from '../../partners/payments/operations.js';
import { DECLINED, SURCHARGE_PENDING } from '../../partners/payments/schemas.js';
import { type Handlers, invalid } from '../routes.js';
import { scenarioOf, unknownMagicValue } from '../scenario.js';
import type { Recorder } from './accounts.js';
import { type Accounts, type KeyHolder, Owned, type Owner, pageOf } from './accounts.js';

interface Place {
  readonly id: string;
  name: string;
  account_id: string;
  [field: string]: unknown;
}

type PlaceHandlers = Pick<
  Handlers<PaymentsOperations, KeyHolder>,
  | 'listTerminals'
  | 'createTerminal'
  | 'getTerminal'
  | 'updateTerminal'
  | 'deleteTerminal'
  | 'createLocation'
  | 'updateLocation'
  | 'getLocation'
>;

/** Terminals, and the locations where they are. */
export class Places {
  readonly #terminals = new Owned<Place>('terminal');
  readonly #locations = new Owned<Place>('location');

  constructor(
    private readonly accounts: Accounts,
    private readonly record: Recorder,
  ) {}

  addTerminal(owner: Owner, fields: Omit<Place, 'id'> & Pick<Place, 'name' | 'account_id'>): Place {
    return this.#terminals.add(owner, (id) => ({ status: 'active', ...fields, id }));
  }

  /** The facts that a payment needs of its terminal; undefined if there is no such terminal. */
  terminalAt(id: string, owner: Owner): { accountId: string; scenario: Scenario } | undefined {
    const terminal = this.#terminals.of(owner).find((one) => one.id === id);
    const scenario = terminal && scenarioOf(TERMINAL_SCENARIOS, terminal.name);
    return terminal && scenario && { accountId: terminal.account_id, scenario };
  }

  readonly handlers: PlaceHandlers = {
    listTerminals: (wanted, owner) => pageOf('terminals', this.#terminals.of(owner), wanted),
    createTerminal: (fields, owner) => {
      this.#check(fields, owner);
      const terminal = this.addTerminal(owner, fields);
      this.record('createTerminal', terminal.id, { name: terminal.name, of: terminal.account_id });
      return terminal;
    },
    getTerminal: ({ terminal_id }, owner) => this.#terminals.get(terminal_id, owner),
    updateTerminal: ({ terminal_id, ...fields }, owner) => {
      const terminal = this.#terminals.get(terminal_id, owner);
      this.#check(fields, owner);
      Object.assign(terminal, fields, { id: terminal.id });
      this.record('updateTerminal', terminal.id);
      return terminal;
    },
    deleteTerminal: ({ terminal_id }, owner) => {
      this.#terminals.remove(terminal_id, owner);
      this.record('deleteTerminal', terminal_id);
      return {};
    },
    createLocation: (fields, owner) => {
      this.accounts.check(fields.account_id, owner);
      const location = this.#locations.add(owner, (id) => ({ ...fields, id }));
      this.record('createLocation', location.id);
      return location;
    },
    updateLocation: ({ location_id, ...fields }, owner) => {
      const location = this.#locations.get(location_id, owner);
      this.accounts.check(fields.account_id, owner);
      Object.assign(location, fields, { id: location.id });
      this.record('updateLocation', location.id);
      return location;
    },
    getLocation: ({ location_id }, owner) => this.#locations.get(location_id, owner),
  };

  #check(
    fields: { name?: string | undefined; account_id?: string | undefined; location_id?: string | undefined },
    owner: Owner,
  ): void {
    const { name, account_id, location_id } = fields;
    this.accounts.check(account_id, owner);
    if (location_id !== undefined && !this.#locations.has(location_id, owner)) {
      throw invalid('location_id', 'is unknown');
    }
    if (name !== undefined && !scenarioOf(TERMINAL_SCENARIOS, name)) {
      throw invalid('name', unknownMagicValue(TERMINAL_SCENARIOS, name));
    }
  }
}

/** The changes that happen, at the sandbox's pace, to a payment that is started at a terminal. */
export interface Scenario {
  readonly description: string;
  /** The status after `pending`; `approved` is authorized, or captured, as was asked for. None stays pending. */
  readonly becomes?: 'approved' | typeof DECLINED | typeof SURCHARGE_PENDING;
  /** The platform only forwards card data; the outcome is entered by updateTransaction. */
  readonly isPassthrough?: true;
}

/** A terminal whose name ends in `[name]` plays the scenario of that name; one without brackets plays `straight`. */
export const TERMINAL_SCENARIOS: Readonly<Record<string, Scenario>> = {
  straight: { description: 'payments are authorized or captured', becomes: 'approved' },
  declined: { description: 'payments are declined', becomes: DECLINED },
  surcharge: { description: 'payments wait for confirm at surcharge_pending', becomes: SURCHARGE_PENDING },
  waiting: {
    description: 'payments stay pending until POST /sandbox/transactions/{id}/transition moves them',
  },
  passthrough: {
    description: 'payments stay pending until PUT /v1/transactions/{id} enters the outcome',
    isPassthrough: true,
  },
};
