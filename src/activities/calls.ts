import { activityInfo, cancellationSignal } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { DocumentStore } from '../documents/document-store.js';
import { saveWhole } from '../documents/save-whole.js';
import type { FileToSend, PartnerAnswer, PartnerCallActivities } from '../messages/partner-call.js';
import { statementFormat } from '../partners/banking/statement.js';
import {
  type Download,
  type FilePart,
  isDownload,
  type Operations,
  operationOf,
} from '../partners/catalogue.js';
import type { PartnerClient } from '../partners/client.js';
import { beating, once, repeatable } from './failures.js';

export interface CallDependencies {
  readonly operations: Operations;
  readonly client: PartnerClient<Operations>;
  readonly documents: DocumentStore;
  /** Folder for files that partners answer. */
  readonly downloadDir: string;
}

/** Any operation of one partner, by name. */
export function callActivities(dependencies: CallDependencies): PartnerCallActivities {
  const { operations, client, documents, downloadDir } = dependencies;
  return {
    async callPartner({ operation: name, request, toProduction = false }) {
      const found = operationOf(operations, name);
      if (!found) throw ApplicationFailure.nonRetryable(`there is no operation ${name}`, 'UnknownOperation');
      const [key, { effect }] = found;
      const options = { signal: cancellationSignal(), toProduction };
      const call = async () => client[key]?.(await withFiles(request, documents), options);
      const answer = await (effect === 'once' ? once(call) : repeatable(call));
      return isDownload(answer) ? saved(name, answer, downloadDir) : { answer: answer ?? null };
    },
  };
}

async function saved(
  operation: string,
  { contentType, body }: Download,
  folder: string,
): Promise<PartnerAnswer> {
  const extension = statementFormat(contentType)?.toLowerCase() ?? 'bin';
  const fileName = `${operation}-${activityInfo().activityId}.${extension}`;
  const bytes = await beating(() => saveWhole(folder, fileName, body));
  return { file: { fileName, contentType, bytes } };
}

async function withFiles(
  request: Readonly<Record<string, unknown>>,
  documents: DocumentStore,
): Promise<Record<string, unknown>> {
  const members = Object.entries(request).map(async ([name, value]) => {
    if (!isFileToSend(value)) return [name, value] as const;
    const { fileName, contentType } = value.document;
    const part: FilePart = { fileName, contentType, content: await documents.get(value.document) };
    return [name, part] as const;
  });
  return Object.fromEntries(await Promise.all(members));
}

function isFileToSend(value: unknown): value is FileToSend {
  return (
    typeof value === 'object' && value !== null && 'document' in value && Object.keys(value).length === 1
  );
}
