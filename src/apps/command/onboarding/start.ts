import { workflowId } from '../../../messages/ids.js';
import { ONBOARDINGS, type OnboardingType } from '../../../messages/workflow-types.js';
import { formatOf } from '../../../services/batches/format.js';
import { inputKind } from '../../../services/batches/validation.js';
import {
  inputWarnings,
  NOT_READ,
  referencesAt,
  soonReferencesAt,
} from '../../../services/batches/warnings.js';
import type { Outcome } from '../../../services/client/watching.js';
import { userName } from '../../../services/texts/display-names.js';
import { check, InvalidInput } from '../../../services/texts/invalid-input.js';
import { KINDS } from '../../../temporal/kinds/kinds.js';
import { differenceFromStart } from '../../../temporal/start.js';
import { readJson, shellWord, sourceName } from '../cli/arguments.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { printOutcome } from '../cli/descriptions.js';
import { followStarted, gangwayOf } from '../cli/follow.js';
import type { Flags } from '../cli/options.js';
import { reportProgress, UNKNOWN_START } from '../cli/progress.js';
import { type Confirming, confirmWarnings, type Strict } from '../cli/prompts.js';

/** @throws {InvalidInput} if a file is an onboarding of another type, which another command starts */
export function rejectOtherKind(value: unknown, file: string, type?: OnboardingType): void {
  const result = inputKind(value);
  if (!('kind' in result) || result.kind.type === type) return;
  const { nouns, command } = ONBOARDINGS[result.kind.type];
  throw new InvalidInput(
    `${sourceName(file)}: is a ${nouns[0]}; nothing was started. Use "gangway ${command} ${shellWord(file)}"`,
  );
}

export function startOf(type: OnboardingType) {
  const kind = KINDS[type];
  return async (
    cli: CommandLine,
    file: string,
    { wait, again, json, yes, strict }: Confirming & Strict & Flags<'wait' | 'again' | 'json'>,
  ): Promise<void> => {
    const rows = formatOf(file);
    if (rows)
      throw new InvalidInput(
        `${file}: is a file of rows (${rows}); nothing was started. Use "gangway batch ${shellWord(file)}"`,
      );
    const value = await readJson(cli, file);
    rejectOtherKind(value, file, kind.type);
    const input = check(kind.schema(cli.config()), value, sourceName(file));
    const restart = 'start it again with --again';
    await reportProgress(cli, (isNow) =>
      withTemporal(cli, async (context) => {
        const { client, config } = context;
        const id = again ? undefined : workflowId(kind.type, input.externalId, input.account);
        // Nobody sees the warnings of a script.
        const isTold = cli.terminal !== undefined || strict === true;
        const read = isTold ? referencesAt : soonReferencesAt;
        const { warnings, isComplete } = await inputWarnings(client, config.taskQueue, input, id, read);
        if (!isComplete && isTold) cli.note(NOT_READ);
        await confirmWarnings(cli, sourceName(file), warnings, { yes, strict });
        isNow(UNKNOWN_START);
        const started = await gangwayOf(context).start(kind, input, { again, actor: userName() });
        isNow(undefined);
        const isCompared = !started.started && cli.terminal !== undefined;
        const fields = isCompared ? await differenceFromStart(client, started.workflowId, input) : [];
        const where = fields ? `, which differs in ${fields.join(', ')}` : '';
        if (fields?.length !== 0)
          cli.note(`${sourceName(file)} was not used: an onboarding keeps its first input${where}`);
        const how = { wait: wait === true, json, restart };
        const outcome = await followStarted<Outcome>(context, started, how);
        if (outcome && !json) printOutcome(cli, started.workflowId, outcome);
      }),
    );
  };
}
