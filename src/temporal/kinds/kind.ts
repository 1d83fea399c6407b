import type { Client } from '@temporalio/client';
import type { z } from 'zod';
import type { CorrectionRequest } from '../../messages/activities.js';
import type { KnownAccounts } from '../../messages/inputs.js';
import type { OnboardingType } from '../../messages/kinds.js';
import type { EndedParts, Restored } from '../../messages/onboardings.js';
import { type Agent, resolved, type Started, type StartOptions, startOnce } from '../start.js';

/** Every input has these. */
export interface AnyInput {
  readonly externalId: string;
  readonly account?: string | undefined;
}

/** What a list shows of an onboarding, and whose turn it takes. */
export interface Subject {
  readonly dba: string;
  readonly agent?: Agent;
}

type Progress = Pick<CorrectionRequest, 'merchantExists'>;

/** What a correction may change, where that is less than all correctable fields at any time. */
export interface Correction {
  /** The rules of an input with `follow`. Default: those of the others. */
  readonly followed?: (accounts: KnownAccounts) => z.ZodType;
  /** The correctable fields that can still change. Default: all. */
  readonly remaining?: (progress: Progress) => readonly string[];
  /** The most likely of them. Default: the first. */
  readonly main?: (progress: Progress) => string;
  /** Objects whose requests take fields that no schema has, and send them as they are. Default: none. */
  readonly open?: (input: object) => readonly string[];
}

/** What a backup holds of an onboarding besides its input. */
export interface BackedUpState {
  readonly stage?: string | undefined;
  readonly merchantProfileId?: number | undefined;
  readonly bankingProfileId?: number | undefined;
  /** The parts that are not restored. */
  readonly ended?: EndedParts;
}

export interface Restart {
  readonly args: readonly unknown[];
  /** The backup holds what the onboarding has at its partner. */
  readonly isKnown: boolean;
}

/** What a kind of onboarding has besides its entry in `ONBOARDINGS`: its rules, and what a start needs. */
interface KindFacts<Input> {
  /** The fields by which a row of a file is of this kind. No other kind has them. */
  readonly fields: readonly [string, ...string[]];
  readonly schema: (accounts: KnownAccounts) => z.ZodType<Input>;
  about(input: Input): Subject;
  /** The arguments of the workflow after its input. Default: none. */
  more?(options: StartOptions): readonly unknown[];
  readonly correction?: Correction;
  /**
   * What {@link about} and {@link restart} read of an input. No more, or a backup could not be restored once a partner has made a
   * rule stricter.
   */
  readonly backupSchema: z.ZodObject;
  /** How `gangway restore` starts one that may exist at its partner. */
  restart(input: Input, state: BackedUpState, restored: Restored): Restart;
}

/** A kind of onboarding, with the function that starts one. */
export interface Kind<Input = AnyInput> extends KindFacts<Input> {
  readonly type: OnboardingType;
  start(client: Client, input: Input, options: StartOptions): Promise<Started>;
}

export function defineKind<Input extends AnyInput>(
  type: OnboardingType,
  facts: KindFacts<Input>,
): Kind<Input> {
  return {
    ...{ type, ...facts },
    start(client, input, options) {
      const { externalId: key, account } = input;
      const args = [resolved(input, options), ...(facts.more?.(options) ?? [])];
      return startOnce(client, { type, key, account, args, ...facts.about(input) }, options);
    },
  };
}
