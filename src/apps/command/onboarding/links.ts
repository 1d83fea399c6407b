import { isMerchant } from '../../../messages/links.js';
import {
  askThroughLink,
  merchantQuestion,
  readTemplates,
  sendReturn,
  sendRevocation,
} from '../../../services/links/create-link.js';
import { check, InvalidInput } from '../../../services/texts/invalid-input.js';
import type { IdOptions } from '../cli/arguments.js';
import { atTemporal } from '../cli/command-line.js';
import type { Flags, Texts } from '../cli/options.js';
import { actorFrom, findAsking } from './claim.js';

type ActorOptions = IdOptions & Texts<'actor'>;

interface AskOptions extends ActorOptions, Texts<'text' | 'template' | 'language'>, Flags<'code'> {
  readonly document?: readonly string[];
  readonly field?: readonly string[];
  /** In milliseconds. */
  readonly for?: number;
}

const DAY_MS = 24 * 3_600_000;

/** Asks the merchant. Prints only the link's address on standard output, so a script can send it. */
export const ask = atTemporal(async (context, id: string, value: string, options: AskOptions) => {
  const { client, cli, config } = context;
  const { text, template: name, language, document: names, field, code, for: ms } = options;
  const template =
    name === undefined ? undefined : readTemplates(config.linkTemplates).find((each) => each.name === name);
  if (name !== undefined && !template)
    throw new InvalidInput('--template: LINK_TEMPLATES_FILE has no template of this name');
  const fields = field?.map((each) => {
    const [path = '', ...label] = each.split('=');
    return { name: path, label: label.join('=') || path };
  });
  if (names && fields) throw new InvalidInput('Give --document or --field, not both; nobody was asked');
  const wants = names
    ? { kind: 'documents', names }
    : fields
      ? { kind: 'fields', fields }
      : (template?.wants ?? { kind: 'text' });
  const input = {
    wants,
    text: text ?? template?.text,
    language: language ?? template?.language,
    code,
    zone: cli.times.zone,
    ...(ms !== undefined && { days: ms / DAY_MS }),
  };
  const question = check(merchantQuestion, input, 'The question', 'nobody was asked');
  const { workflowId, requirementId, linkBefore, dueAt } = await findAsking(context, id, value, options);
  const link = await askThroughLink(
    client,
    workflowId,
    { requirementId, actor: actorFrom(cli, options) },
    question,
    config,
  );
  if (linkBefore && linkBefore.state !== 'closed')
    cli.note(`The link before, ${linkBefore.link}, has ended.`);
  if (options.json) return cli.json({ workflowId, requirementId, ...link });
  cli.line(link.url ?? '');
  cli.note(
    `${link.link} asks about ${requirementId} until ${cli.times.at(link.until)}. Nobody can show its address again.`,
  );
  if (Date.parse(link.until) > Date.parse(dueAt))
    cli.note(`The merchant reads that as the deadline, and the answer is due ${cli.times.at(dueAt)}.`);
  if (link.code) cli.note(`Code: ${link.code}. Tell it to the merchant by phone, never with the link.`);
});

export const revokeLinkCommand = atTemporal(
  async (context, id: string, value: string, options: ActorOptions) => {
    const { workflowId, requirementId } = await findAsking(context, id, value, options);
    const receipt = await sendRevocation(context.client, workflowId, {
      requirementId,
      actor: actorFrom(context.cli, options),
    });
    if (options.json) return context.cli.json({ workflowId, ...receipt });
    context.cli.line(`${requirementId}: the link has ended`);
  },
);

export const sendBack = atTemporal(
  async (context, id: string, value: string, { text = '', ...options }: ActorOptions & Texts<'text'>) => {
    const { workflowId, requirementId, proposal } = await findAsking(context, id, value, options);
    if (!proposal || !isMerchant(proposal.actor))
      throw new InvalidInput(
        `${JSON.stringify(requirementId)}: the merchant has proposed no answer; nothing was sent back`,
      );
    const request = { requirementId, actor: actorFrom(context.cli, options), proposedAt: proposal.at, text };
    const receipt = await sendReturn(context.client, workflowId, request);
    if (options.json) return context.cli.json({ workflowId, ...receipt });
    context.cli.line(`${requirementId}: sent back to the merchant`);
  },
);
