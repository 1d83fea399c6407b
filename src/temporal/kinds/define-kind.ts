import type { Client } from '@temporalio/client';
import type { z } from 'zod';
import type { CorrectionRequest } from '../../messages/activities.js';
import type { KnownAccounts } from '../../messages/inputs.js';
import type { EndedParts, Restored } from '../../messages/onboardings.js';
import type { OnboardingType } from '../../messages/workflow-types.js';
import { type Agent, resolved, type Started, type StartOptions, startOnce } from '../start.js';

/** The fields of every input. */
export interface AnyInput {
  readonly externalId: string;
  readonly account?: string | undefined;
}

/** The fields of an input that lists show, and the agent for fairness in the task queue. */
export interface Subject {
  readonly dba: string;
  readonly agent?: Agent;
}

type Progress = Pick<CorrectionRequest, 'merchantExists'>;

/** Restricts corrections. Default: all correctable fields, at any time. */
export interface Correction {
  /** The schema of an input with `follow`. Default: the schema of the kind. */
  readonly followed?: (accounts: KnownAccounts) => z.ZodType;
  /** Returns the correctable fields that can still change. Default: all. */
  readonly remaining?: (progress: Progress) => readonly string[];
  /** Returns the field that is most likely to change. Default: the first. */
  readonly main?: (progress: Progress) => string;
  /** Returns objects in which unknown fields are sent unchanged. Default: none. */
  readonly open?: (input: object) => readonly string[];
}

/** The state of an onboarding in a backup, besides its input. */
export interface BackedUpState {
  readonly stage?: string | undefined;
  readonly merchantProfileId?: number | undefined;
  readonly bankingProfileId?: number | undefined;
  /** The parts that are not restored. */
  readonly ended?: EndedParts;
}

export interface Restart {
  readonly args: readonly unknown[];
  /** Whether the backup names the onboarding's record at the partner. */
  readonly isKnown: boolean;
}

/** The rules of a kind of onboarding, and its schemas. `ONBOARDINGS` has the rest. */
interface KindFacts<Input> {
  /** Fields that only this kind has, which identify it in a row of a file. */
  readonly fields: readonly [string, ...string[]];
  readonly schema: (accounts: KnownAccounts) => z.ZodType<Input>;
  about(input: Input): Subject;
  /** Returns the arguments of the workflow after its input. Default: none. */
  more?(options: StartOptions): readonly unknown[];
  readonly correction?: Correction;
  /**
   * Only the fields that {@link about} and {@link restart} read: a complete schema would reject old backups once a partner makes a
   * rule stricter.
   */
  readonly backupSchema: z.ZodObject;
  /** Returns how `gangway restore` starts an onboarding that may exist at its partner. */
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
    type,
    ...facts,
    start(client, input, options) {
      const { externalId: key, account } = input;
      const args = [resolved(input, options), ...(facts.more?.(options) ?? [])];
      return startOnce(client, { type, key, account, args, ...facts.about(input) }, options);
    },
  };
}
