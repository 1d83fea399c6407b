import { ApplicationFailure, CancellationScope, proxyActivities } from '@temporalio/workflow';
import type { Correctable, CorrectionActivities, Patch } from '../../messages/activities.js';
import { hasEffect, isObject, mergePatch } from '../../messages/objects.js';
import { rejection } from '../../messages/rejections.js';
import type { Answer, Resolution } from '../../messages/requirements.js';
import { type CorrectableType, ONBOARDINGS } from '../../messages/workflow-types.js';
import { currentAccount } from './activity-proxies.js';
import type { CorrectedInput, Store, Transition } from './state.js';

/** The required fields of an input. */
export type FieldTypes = Readonly<Record<string, 'string' | 'number' | 'object' | 'array'>>;

/** Throws `InvalidInput` if required fields are missing. Needed because a start without `gangway` checks nothing. */
export function requireFields(input: unknown, fields: FieldTypes): void {
  const object = isObject(input) ? input : {};
  const problems = Object.entries(fields)
    .filter(([field, type]) => typeOf(object[field]) !== type)
    .map(
      ([field, type]) => `${field}: must be ${type === 'string' || type === 'number' ? 'a' : 'an'} ${type}`,
    );
  if (problems.length > 0) throw ApplicationFailure.nonRetryable(problems.join('; '), 'InvalidInput');
}

/** Removes a business's SSNs before continue-as-new. A later correction needs a person to enter them again. */
export function withoutSsns<Business extends HasSsns>({
  holder,
  beneficialOwners,
  ...rest
}: Business): Business {
  const owners = beneficialOwners && { beneficialOwners: beneficialOwners.map(withoutSsn) };
  return { ...rest, holder: withoutSsn(holder), ...owners } as unknown as Business;
}

interface HasSsns {
  readonly holder: { readonly ssn?: string | undefined };
  readonly beneficialOwners?: HasSsns['holder'][] | undefined;
}

const withoutSsn = ({ ssn: _, ...person }: HasSsns['holder']) => person;

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return value === null ? 'null' : typeof value;
}

const { checkCorrection, blankCorrection } = proxyActivities<CorrectionActivities>({
  startToCloseTimeout: '10s',
  summary: 'Check the correction',
});

/** A workflow's input with people's corrections applied. */
export class CorrectableInput<Input extends object = object> {
  readonly correctable: readonly string[];

  constructor(
    private readonly type: CorrectableType | undefined,
    private readonly store: Store<unknown, Input>,
  ) {
    this.correctable = type ? ONBOARDINGS[type].correctable : [];
  }

  get current(): Input {
    return this.store.state.input.current;
  }

  /** Returns the problem with a correction that changes nothing: the right answer would be `retry`. */
  problemWith(answer: Answer): string | undefined {
    if (answer.kind !== 'correction' || hasEffect(this.current, answer.patch)) return undefined;
    return 'answer.patch: changes nothing, because the fields already have these values';
  }

  readonly correct = (patch: Patch): void => {
    this.store.update(updateInput(({ base: stored }) => ({ base: mergePatch(stored, patch) })));
    this.applyTentatively(patch);
  };

  /** Applies a correction. Call {@link commit} or {@link rollBack} once it is known whether it reached the partner. */
  applyTentatively(patch: Patch): void {
    this.store.update(updateInput(({ current }) => ({ current: mergePatch(current, patch) })));
  }

  /** Marks the corrections of one field, or all corrections, as received by the partner. */
  commit(field?: keyof Input): void {
    this.store.update(
      updateInput(({ current, base: stored }) => {
        const partly = { ...stored, [field ?? '']: (current as Input)[field as keyof Input] };
        return { base: field === undefined ? current : partly };
      }),
    );
  }

  /** Removes corrections that have not reached the partner. People can still take their answers back. */
  rollBack(): void {
    this.store.update(updateInput(({ base: stored }) => ({ current: stored })));
  }

  /** The input and its progress, for checks of corrections. */
  get progress(): Correctable {
    const { merchantProfileId } = this.store.state.facts;
    return {
      type: this.type as CorrectableType,
      input: this.current,
      merchantExists: merchantProfileId !== undefined,
      account: currentAccount(),
    };
  }

  /** Checks the corrected input, and that the correction can still reach the partner. */
  async check(
    { answer }: Resolution,
    fields?: readonly string[],
    concerns: (field: string) => boolean = () => true,
  ): Promise<void> {
    if (answer.kind !== 'correction') return;
    // A cancellation must not make a valid answer fail.
    const all = await CancellationScope.nonCancellable(() =>
      checkCorrection({ ...this.progress, fields, patch: answer.patch }),
    );
    const problems = all.filter(({ field }) => concerns(field));
    if (problems.length === 0) return;
    const lines = problems.map(({ field, message }) => `answer.patch${field && `.${field}`}: ${message}`);
    throw rejection(lines.join('\n'));
  }

  /** Returns a blank correction of the fields that can still change; undefined if none can. */
  readonly blankFor = async (fields: readonly string[]): Promise<Patch | undefined> =>
    this.correctable.length > 0 ? blankCorrection({ ...this.progress, fields }) : undefined;
}

const updateInput =
  (change: (before: CorrectedInput) => Partial<CorrectedInput>): Transition =>
  (state) => ({ ...state, input: { ...state.input, ...change(state.input) } });
