/**
 * A merchant boarding service made from documents 2 and 4 alone: it shares no code with the client and with the sandbox. It has the
 * habits of real services, which the documents neither promise nor exclude.
 */

interface Request {
  readonly method: string;
  readonly url: string;
  readonly body: Buffer;
}

interface Merchant {
  readonly id: number;
  readonly guid: string;
  readonly email: string;
  status: string;
  statusDate: string;
  mid: string | null;
  fees: Record<string, unknown>;
  submissions: number;
}

/** What a service does with a create. Undefined: it makes a merchant. */
export type Habit = (question: { readonly guid: string; readonly email: string }) =>
  | {
      /** It responds with this merchant, and makes none. */
      readonly existing?: number;
      /** It makes the merchant and refuses the create anyway. */
      readonly refuses?: { readonly status: number; readonly names: boolean; readonly error: string };
      /** It refuses the create, and has no merchant. */
      readonly rejects?: { readonly status: number; readonly data?: unknown; readonly error: string };
      /** The status of the new merchant. */
      readonly status?: string;
      readonly statusDate?: string;
    }
  | undefined;

export class BoardingByDocuments {
  readonly merchants = new Map<number, Merchant>();
  /** Every write, in the order of arrival: `create tw-1`, `fees 5001`. */
  readonly writes: string[] = [];
  habit: Habit = () => undefined;
  #next = 5_001;

  /** An application that somebody has entered in the portal. */
  add(more: Partial<Merchant> = {}): Merchant {
    const id = this.#next++;
    const merchant: Merchant = {
      id,
      guid: '',
      email: '',
      status: 'Not Submitted',
      statusDate: new Date().toISOString(),
      mid: null,
      fees: { minimumDiscountAmount: 25 },
      submissions: 0,
      ...more,
    };
    this.merchants.set(id, merchant);
    return merchant;
  }

  get(id: number): Merchant {
    const merchant = this.merchants.get(id);
    if (!merchant) throw new Error(`no merchant ${id}`);
    return merchant;
  }

  /** It refuses to show the status of these for the moment. */
  readonly busyWith = new Set<number>();

  move(id: number, status: string, mid: string | null = null): void {
    Object.assign(this.get(id), { status, mid, statusDate: new Date().toISOString() });
  }

  readonly listener = async ({ method, url, body }: Request) => {
    const { pathname, searchParams } = new URL(url, 'http://partner');
    const text = body.toString();
    const sent = text.startsWith('{') ? JSON.parse(text) : {};
    const question = Number(searchParams.get('id') ?? searchParams.get('ID') ?? sent.merchantProfileId);
    const route = `${method} ${pathname}`;
    const respond = (status: number, data: unknown, more: object = {}) => ({
      status,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(
        JSON.stringify({
          data,
          status: status === 200 ? 'OK' : 'Error',
          error: null,
          warning: null,
          validationResults: [],
          requestId: 1,
          ...more,
        }),
      ),
    });
    if (route === 'GET /api/v1/agentProfiles') return respond(200, [{ id: 101, name: 'Harbor Agents' }]);
    if (route === 'GET /api/v1/GetBoardingSettings') return respond(200, [{ id: 11, name: 'Standard' }]);
    if (/^POST \/api\/v[12]\/merchant\/create$/.test(route)) return this.#create(sent, respond);
    const merchant = this.merchants.get(question);
    if (!merchant) return respond(404, null, { error: 'no such merchant' });
    const { id, status, statusDate, mid, fees } = merchant;
    switch (route) {
      case 'GET /api/v1/merchant/status':
        if (this.busyWith.has(id)) return respond(400, null, { error: 'Too many requests' });
        return respond(200, { status, statusDate, comment: null, mid });
      case 'GET /api/v1/merchant/underwritingNotes':
        return respond(200, []);
      case 'GET /api/v2/merchant/fees':
        return respond(200, fees, { success: true, validationErrors: [] });
      case 'POST /api/v2/merchant/fees':
        this.writes.push(`fees ${id}`);
        merchant.fees = sent;
        return respond(200, null, { success: true, validationErrors: [] });
      case 'POST /api/v2/merchant/submit':
        this.writes.push(`submit ${id}`);
        merchant.submissions += 1;
        this.move(id, 'Pending');
        return respond(200, { merchantProfileId: id });
      default:
        return respond(404, null, { error: `no ${route}` });
    }
  };

  #create<Response>(
    { guid, email = '', dba }: { guid: string; email?: string; dba: string },
    respond: (status: number, data: unknown, more?: object) => Response,
  ): Response {
    this.writes.push(`create ${guid}`);
    const { existing, refuses, rejects, ...more } = this.habit({ guid, email }) ?? {};
    if (existing !== undefined) return respond(200, { merchantProfileId: existing });
    const problems = [{ memberNames: ['email'], errorMessage: 'could not be verified' }];
    if (rejects) {
      const { error, data = null } = rejects;
      return respond(rejects.status, data, { error, validationResults: problems });
    }
    const { id } = this.add({ guid, email, ...more });
    if (!refuses) return respond(200, { merchantProfileId: id, dba });
    return respond(refuses.status, refuses.names ? { merchantProfileId: id } : null, {
      error: refuses.error,
      validationResults: problems,
    });
  }
}
