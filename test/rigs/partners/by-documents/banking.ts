/**
 * A banking service made from documents 1 and 4 alone: it shares no code with the client and with the sandbox. It has the habits of
 * real services, which the documents neither promise nor exclude.
 */

interface Request {
  readonly method: string;
  readonly url: string;
  readonly body: Buffer;
}

interface Profile {
  readonly id: number;
  readonly createdDate: string;
  readonly doingBusinessAsName: string | null;
  readonly legalBusinessName: string;
  readonly employerIdentificationNumber: string | null;
  bankingStatus: string;
  financialAccountId: string | null;
}

type Holder = Readonly<Record<string, string>>;

/** What a service does with a submission. Undefined: it makes a profile. */
export type Habit = (holder: Holder) =>
  | {
      /** It responds with this profile, and makes none. */
      readonly existing?: number;
      /** It makes the profile and refuses the submission anyway. */
      readonly refuses?: { readonly status: number; readonly names: boolean };
      readonly status?: string;
      /** The tax number as the profile shows it. */
      readonly ein?: string | null;
    }
  | undefined;

export class BankByDocuments {
  readonly profiles = new Map<number, Profile>();
  /** Every write, in the order of arrival: `submit Corner Bakery`, `correct 3001`. */
  readonly writes: string[] = [];
  habit: Habit = () => undefined;
  /** It refuses to show these, with this status. */
  readonly hidden = new Map<number, number>();
  #next = 3_001;

  add(holder: Holder, more: Partial<Profile> = {}): Profile {
    const { doingBusinessAsName = '', legalBusinessName = '', employerIdentificationNumber = '' } = holder;
    const id = this.#next++;
    const profile: Profile = {
      id,
      createdDate: new Date().toISOString(),
      doingBusinessAsName,
      legalBusinessName,
      employerIdentificationNumber,
      bankingStatus: 'Submitted',
      financialAccountId: null,
      ...more,
    };
    this.profiles.set(id, profile);
    return profile;
  }

  readonly listener = async ({ method, url, body }: Request) => {
    const { pathname } = new URL(url, 'http://partner');
    const text = body.toString();
    const sent = text.startsWith('{') ? JSON.parse(text) : {};
    const respond = (status: number, json: unknown) => ({
      status,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(json)),
    });
    const [, id] = /(\d+)$/.exec(pathname) ?? [];
    const profile = this.profiles.get(Number(id));
    switch (`${method} ${pathname.replace(/\/\d+$/, '/{id}')}`) {
      case 'POST /api/auth/v2': {
        const expiration = new Date(Date.now() + 600_000).toISOString();
        return respond(200, { token: 'token', expiration, userId: 1 });
      }
      case 'GET /api/tickets/new':
        return respond(200, []);
      case 'POST /api/AccountsSearch/BusinesAccountHolder': {
        const all = [...this.profiles.values()];
        const matches = all.filter(({ doingBusinessAsName: dba }) => !sent.dba || dba?.includes(sent.dba));
        return respond(
          200,
          matches.map(({ id, doingBusinessAsName: dba }) => ({ id, dba })),
        );
      }
      case 'GET /svc/profile/{id}':
        if (this.hidden.has(Number(id)))
          return respond(this.hidden.get(Number(id)) ?? 0, { message: 'Too many requests' });
        return profile ? respond(200, recordOf(profile)) : respond(404, {});
      case 'POST /svc/businessAccountHolder':
        return this.#submit(sent, respond);
      case 'PUT /svc/businessAccountHolder/{id}':
        this.writes.push(`correct ${id}`);
        return respond(200, { profileId: Number(id), success: true, errors: null });
      case 'POST /svc/businessCustomer':
        this.writes.push(`account ${sent.profileId}`);
        return respond(200, { profileId: sent.profileId, success: true, financialAccountId: 'fa-1' });
      default:
        return respond(404, {});
    }
  };

  #submit<Response>(holder: Holder, respond: (status: number, json: unknown) => Response): Response {
    this.writes.push(`submit ${holder['doingBusinessAsName']}`);
    const { existing, refuses, status, ein } = this.habit(holder) ?? {};
    const accepted = { success: true, errors: null, changeLog: null };
    if (existing !== undefined) return respond(200, { profileId: existing, ...accepted });
    const { id } = this.add(holder, {
      ...(status !== undefined && { bankingStatus: status }),
      ...(ein !== undefined && { employerIdentificationNumber: ein }),
    });
    if (!refuses) return respond(200, { profileId: id, ...accepted });
    const errors = 'The profile was saved, but the phone could not be verified.';
    return respond(refuses.status, { ...(refuses.names && { profileId: id }), success: false, errors });
  }
}

/** The banking profile record of document 1. */
function recordOf({ id, createdDate, bankingStatus, financialAccountId, ...holder }: Profile) {
  return {
    id,
    createdDate,
    updatedDate: null,
    userProfileId: id + 10_000,
    bankingStatus,
    financialAccountId,
    isSubmitted: true,
    isDeleted: false,
    isLocked: false,
    profileType: 0,
    businessAccountHolder: { ...holder, merchantProfileId: null, owners: [] },
  };
}
