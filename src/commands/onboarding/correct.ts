import { z } from 'zod';
import { changeable } from '../../activities/corrections.js';
import { changeLines, changesOf, checkCorrection, inputFor } from '../../forms/corrections.js';
import { type Patch, patchFrom, settingsFrom } from '../../forms/set-fields.js';
import type { Correctable } from '../../messages/activities.js';
import type { KnownAccounts } from '../../messages/inputs.js';
import type { OnboardingState } from '../../messages/onboarding-state.js';
import { json } from '../../partners/fields.js';
import { check } from '../../texts/invalid-input.js';
import { readObject } from '../cli/arguments.js';
import type { CommandContext, CommandLine } from '../cli/command-line.js';
import { type Confirming, confirm } from '../cli/confirm.js';
import { CommandFailed } from '../cli/errors.js';

/** The requirement to answer. */
export interface Asked {
  readonly workflowId: string;
  readonly requirementId: string;
  /** Undefined when it cannot be read now. */
  readonly state: OnboardingState | undefined;
}

/** The options with which a person writes a correction. */
export interface CorrectionOptions {
  readonly patch?: string;
  readonly set?: readonly string[];
}

/** Makes the merge patch for an input; undefined when that cannot be read now. @throws {CommandFailed} when it must be read */
type PatchOf = (correctable: Correctable | undefined, known: KnownAccounts) => Patch;

/** Reads the part of a correction that needs no input. @throws {InvalidInput} */
export async function readCorrection(
  cli: CommandLine,
  { patch, set = [] }: CorrectionOptions,
): Promise<PatchOf> {
  if (patch !== undefined) {
    const given = await readObject(cli, patch, '--patch');
    const checked = check(z.record(z.string(), json), given, '--patch', 'nothing was sent');
    return () => checked;
  }
  const settings = settingsFrom(set);
  return (correctable, known) => {
    if (!correctable)
      throw new CommandFailed('--set needs the current input, which cannot be read now; use --patch');
    return patchFrom(settings, correctable.input, changeable(correctable, known).schema);
  };
}

/** Checks a correction, and shows what it changes to the person at the terminal. */
export async function correct(
  context: CommandContext,
  { workflowId, requirementId, state }: Asked,
  patchOf: Awaited<ReturnType<typeof readCorrection>>,
  options: CorrectionOptions & Confirming & { readonly dryRun?: true; readonly json?: true },
): Promise<Patch> {
  const { cli, client, config } = context;
  if (!state) return patchOf(undefined, config);
  const correctable = await inputFor(client, workflowId, state, requirementId);
  const patch = patchOf(correctable, config);
  checkCorrection(correctable, patch, config);
  const changes = changesOf(correctable, patch);
  const preview = [`${requirementId} of ${workflowId}:`, ...changeLines(changes)].join('\n');
  if (!options.dryRun) {
    if (cli.terminal) await confirm(cli, `${preview}\nThis correction will be sent.`, options);
  } else if (options.json) cli.json({ workflowId, requirementId, changes });
  else cli.line(preview);
  return patch;
}
