import type { SandboxOptions } from '../../../../src/apps/sandbox/server.js';
import * as inputs from '../../inputs.js';
import { type Reply, sendJson } from '../../send.js';
import { testEnds, type Until } from '../../shared.js';
import { type RunningSandbox, runSandbox } from '../running-sandbox.js';

/** The body of E7, without owners. */
export const HOLDER = JSON.stringify(inputs.HOLDER);

export const OWNER = JSON.stringify(inputs.OWNER);

/** JSON of an object with one field left out or set to other JSON. */
export function changed(object: string, field: string, json?: string): string {
  const { [field]: _, ...rest } = JSON.parse(object);
  const text = JSON.stringify(rest);
  return json === undefined ? text : `${text.slice(0, -1)},"${field}":${json}}`;
}

/** A submission whose business name ends in the magic value. */
export const holderOf = (scenario: string, holder = HOLDER) =>
  changed(holder, 'doingBusinessAsName', `"Corner Bakery [${scenario}]"`);

/** Sign-in of a user in the user's form, with further fields as JSON. */
export const signInOf = (user: string, more = '') =>
  `{"nickName":"${user}","password":"${user}","tokenDevice":"d-1","nameDevice":"till"${more}}`;

/** Sent in place of a user's token. */
export type Bearer = { readonly authorization: string | undefined };

export interface RunningBanking extends Pick<RunningSandbox, 'url' | 'control' | 'effects' | 'create'> {
  /** `call('GET /svc/profile/501')` with the token of a user, or with a {@link Bearer}. */
  call(line: string, body?: string, caller?: string | Bearer): Promise<Reply>;
  /** Status and `Authorization` of a sign-in. */
  signIn(body: string): Promise<Reply & Bearer>;
  /** Calls E7. @returns the profile ID */
  submit(holder?: string): Promise<number>;
  /** Reads the profile. */
  profile(id: number): Promise<Record<string, unknown>>;
}

/** The bank of a new sandbox until the running test ends, which calls it with plain HTTP and JSON text. */
export async function runBanking(
  options: SandboxOptions = {},
  until: Until = testEnds,
): Promise<RunningBanking> {
  const { url, control, effects, create } = await runSandbox(options, until);
  const bearers = new Map<string, Bearer>();

  const send = (line: string, body: string | undefined, { authorization }: Bearer) =>
    sendJson(url, line, body, authorization === undefined ? {} : { authorization });

  async function signIn(body: string) {
    const reply = await send('POST /api/auth/v2', body, { authorization: undefined });
    return { ...reply, authorization: `Bearer ${/"token":"([^"]+)"/.exec(reply.text)?.[1]}` };
  }

  async function bearerOf(caller: string | Bearer): Promise<Bearer> {
    if (typeof caller !== 'string') return caller;
    const bearer = bearers.get(caller) ?? (await signIn(signInOf(caller)));
    bearers.set(caller, bearer);
    return bearer;
  }

  const call: RunningBanking['call'] = async (line, body, caller = 'sandbox') =>
    send(line, body, await bearerOf(caller));

  return {
    url,
    control,
    effects,
    create,
    call,
    signIn,
    async submit(holder = HOLDER) {
      const { text } = await call('POST /svc/businessAccountHolder', holder);
      return Number(/"profileId":(\d+)/.exec(text)?.[1]);
    },
    async profile(id) {
      return (await call(`GET /svc/profile/${id}`)).json();
    },
  };
}
