import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { basename } from 'node:path';
import { z } from 'zod';
import { documentStore } from '../../documents/document-store.js';
import { openStore } from '../../documents/open-store.js';
import type { Answer } from '../../messages/requirements.js';
import { MAX_ATTACHMENT_BYTES } from '../../partners/boarding/schemas.js';
import { json } from '../../partners/fields.js';
import { cannotRead, check, readObject } from '../cli/arguments.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';
import { InvalidInput } from '../cli/errors.js';
import { findById, type IdOptions } from '../cli/partner-account.js';
import { sendResolution } from '../cli/requirements.js';

interface ResolveOptions extends IdOptions {
  readonly text?: string;
  readonly document?: readonly string[];
  readonly patch?: string;
  readonly adopt?: string;
  readonly retry?: true;
  readonly code?: string;
  readonly takeBack?: true;
  readonly abandon?: true;
  readonly actor?: string;
  readonly reason?: string;
}

export async function resolve(
  cli: CommandLine,
  id: string,
  requirementId: string,
  options: ResolveOptions,
): Promise<void> {
  const answer = await answerFrom(cli, options);
  const actor = options.actor ?? userInfo().username;
  const reason = reasonFrom(options, answer);
  await withTemporal(cli, async (context) => {
    const { workflowId } = await findById(context, id, options);
    const receipt = await sendResolution(context.client, workflowId, {
      requirementId,
      answer,
      actor,
      reason,
    });
    if (options.json) return cli.json({ workflowId, ...receipt });
    const done = answer.kind === 'take-back' ? 'open again' : 'resolved';
    cli.line(`${requirementId} ${done}; ${receipt.open} still open`);
  });
}

/** Checks everything before anything is stored or sent. */
async function answerFrom(cli: CommandLine, options: ResolveOptions): Promise<Answer> {
  const given = (
    ['text', 'document', 'patch', 'adopt', 'retry', 'code', 'takeBack', 'abandon'] as const
  ).filter((name) => options[name] !== undefined);
  if (given.length !== 1) {
    throw new InvalidInput(
      'give exactly one of --text, --document, --patch, --adopt, --retry, --code, --take-back, --abandon',
    );
  }
  const { text, document, patch, adopt, code } = options;
  if (text !== undefined) return { kind: 'text', text };
  if (document !== undefined) return { kind: 'documents', documents: await store(cli, document) };
  if (patch !== undefined) {
    const fields = await readObject(cli, patch, '--patch');
    const checked = check(z.record(z.string(), json), fields, '--patch', 'nothing was sent');
    return { kind: 'correction', patch: checked };
  }
  if (adopt !== undefined) return { kind: 'adopt', id: adopt };
  if (code !== undefined) return { kind: 'code', code };
  if (options.takeBack) return { kind: 'take-back' };
  return { kind: options.retry ? 'retry' : 'abandon' };
}

function reasonFrom({ reason }: ResolveOptions, { kind }: Answer): string {
  if (reason !== undefined) return reason;
  if (kind === 'adopt' || kind === 'retry' || kind === 'take-back' || kind === 'abandon') {
    throw new InvalidInput(`--${kind} needs --reason, which the timeline keeps`);
  }
  return 'answered with gangway resolve';
}

async function store(cli: CommandLine, files: readonly string[]) {
  await Promise.all(files.map(checkDocument));
  const { documentDir, s3Endpoint } = cli.config();
  const documents = documentStore(await openStore(documentDir, s3Endpoint, cli.env));
  return Promise.all(
    files.map((file) => documents.put(basename(file), createReadStream(file, { signal: cli.signal }))),
  );
}

async function checkDocument(file: string): Promise<void> {
  const found = await access(file, constants.R_OK)
    .then(() => stat(file))
    .catch(cannotRead(file));
  if (!found.isFile()) throw new InvalidInput(`${file}: is not a file`);
  if (found.size === 0) throw new InvalidInput(`${file}: is empty`);
  if (found.size > MAX_ATTACHMENT_BYTES) throw new InvalidInput(`${file}: is larger than 25 MiB`);
}
