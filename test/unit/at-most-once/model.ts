/** What the model of the protocol has: its rules, and its state. `protocol.ts` explores it. */

/** The rules of the protocol. Without any one of them, an invariant breaks. */
export const RULES = [
  'the request waits for the acknowledgment',
  'an attempt reads the last intent',
  'a cleared intent counts as one',
  'the outcome is reported until the server accepts it',
  'a refused intent ends the attempt',
  'the server refuses the intent of a closed attempt',
  'an attempt is silent once its time is over',
  'only a request that had no effect withdraws its intent',
  'after an uncertain outcome, a person is asked',
  'a restored workflow begins as uncertain',
  'only a change that the write alone explains is evidence',
] as const;

export type Rule = (typeof RULES)[number];

export type Place = 'begun' | 'acknowledged' | 'responded' | 'lost' | 'without effect' | 'ended';

export interface Attempt {
  readonly at: Place;
  /** It found an intent, or a reset that removed one. */
  readonly found: boolean;
  /** Of its intent. `closed`: by a server that had closed the attempt. */
  readonly acknowledged: 'no' | 'open' | 'closed' | 'as another';
  readonly sent: boolean;
  /** By which the server knows it: the activity in tens, and the attempt. A reset begins at 1 again. */
  readonly number: number;
  readonly isLate: boolean;
  /** Its worker was alive, and it ended although the server had not taken its report. */
  readonly silent: boolean;
}

export const UNSENT = { acknowledged: 'no', sent: false, silent: false, isLate: false } as const;

/** What the server knows: the attempt that it has open, and the heartbeat details. */
export interface Activity {
  readonly open: number | null;
  readonly next: number;
  readonly intent: 'none' | 'sending' | 'withdrawn';
  readonly hasTimedOut: boolean;
  readonly isCleared: boolean;
}

export interface State extends Activity {
  readonly workflow: 'waiting' | 'uncertain' | 'asking' | 'done';
  readonly attempts: readonly Attempt[];
  /** Requests that may have had an effect, and those that had one. */
  readonly requests: number;
  readonly effects: number;
  readonly isChanged: boolean;
  readonly used: { readonly resets: number; readonly restores: number; readonly again: number };
}

export const NEW: Activity = { open: null, next: 1, intent: 'none', hasTimedOut: false, isCleared: false };
/** Another activity, whose attempts have other numbers. */
export const begin = ({ attempts }: Pick<State, 'attempts'>): Activity => ({
  ...NEW,
  next: 10 * attempts.length + 1,
});

export const USED = { resets: 0, restores: 0, again: 0 };
export const PARTNER = { requests: 0, effects: 0, isChanged: false };
export const FIRST: State = { ...NEW, ...PARTNER, workflow: 'waiting', attempts: [], used: USED };
