import { activityInfo, cancellationSignal } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { awaitResponse } from '../at-most-once/activity.js';
import type {
  FileToSend,
  IntegerToSend,
  PartnerCallActivities,
  PartnerResponse,
} from '../messages/activities.js';
import { isObject } from '../messages/objects.js';
import { type Download, isDownload, type Operations, operationOf } from '../partners/catalogue.js';
import { type CallOptions, orRefusal, type PartnerClient, repeatableMethods } from '../partners/client.js';
import { PARTNERS, type SystemName } from '../partners/descriptors.js';
import { type DocumentStore, fileNamePart } from '../partners/documents/document-store.js';
import { keepAllDigits } from '../partners/json.js';
import { PartnerError } from '../partners/partner-error.js';
import type { FileStore } from '../platform/documents/file-store.js';
import { documentFor, type FileCall, withStoreFailures } from './call-files.js';
import { partnerErrorOfActivity, toFailure, withRetries } from './failures.js';
import { sendOnce } from './write.js';

export interface CallDependencies {
  readonly system: SystemName;
  readonly operations: Operations;
  readonly client: PartnerClient<Operations>;
  readonly documents: DocumentStore;
  readonly downloads: FileStore;
}

export function callActivities(dependencies: CallDependencies): PartnerCallActivities {
  const { system, operations, client, documents, downloads } = dependencies;
  const repeatables = repeatableMethods(operations, client);
  return {
    async callPartner({ operation: name, request, toProduction = false }) {
      const match = operationOf(operations, name);
      if (!match) throw ApplicationFailure.nonRetryable(`there is no operation ${name}`, 'UnknownOperation');
      const [key, { effect }] = match;
      const record = { system, operation: name };
      const warnings: string[] = [];
      const onWarning = (warning: string) => void warnings.push(warning);
      const call = async <Options extends CallOptions>(
        method: ((request: unknown, options: Options) => Promise<unknown>) | undefined,
        options: Options,
      ): Promise<PartnerResponse> => {
        const sent = await withFiles(record, request, documents);
        const called = method?.(sent, { ...options, toProduction, onWarning });
        const { response, ...refusal } = await orRefusal(called);
        if (isDownload(response)) return saveDownload(record, response, downloads);
        return { response: keepAllDigits(response), ...refusal, ...(warnings.length > 0 && { warnings }) };
      };
      // A cancellation must not cut off a write that has begun.
      const options = effect === 'read' ? { signal: cancellationSignal() } : {};
      const result =
        effect === 'once'
          ? awaitResponse(sendOnce((once) => call(client[key], once)))
          : withRetries(() => call(repeatables[key], options));
      return result.catch((error: unknown) => {
        const failed = partnerErrorOfActivity(error);
        // Not retried, because only a person can correct credentials, and the caller waits for the call.
        if (failed?.kind === 'Unauthorized' || failed?.kind === 'Forbidden')
          throw toFailure(new PartnerError(failed), false);
        throw error;
      });
    },
  };
}

async function saveDownload(
  call: FileCall & { readonly system: SystemName },
  { contentType, body }: Download,
  files: FileStore,
): Promise<PartnerResponse> {
  const [type = ''] = contentType.split(';');
  const format = PARTNERS[call.system].contract.fileTypes?.[type.trim().toLowerCase()];
  const extension = format?.toLowerCase() ?? 'bin';
  const fileName = `${call.operation}-${fileNamePart(activityInfo().activityId)}.${extension}`;
  const bytes = await withStoreFailures(call, () => files.save(fileName, body, contentType));
  return { file: { fileName, contentType, bytes } };
}

async function withFiles(
  call: FileCall,
  request: Readonly<Record<string, unknown>>,
  documents: DocumentStore,
): Promise<Record<string, unknown>> {
  const fields = Object.entries(request).map(async ([name, value]) => {
    const document = onlyField(value, 'document') as FileToSend['document'] | undefined;
    return [name, document ? await documentFor(call, documents, document) : restoreIntegers(value)] as const;
  });
  return Object.fromEntries(await Promise.all(fields));
}

function restoreIntegers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(restoreIntegers);
  if (!isObject(value)) return value;
  const integer = String(onlyField(value, 'exactInteger' satisfies keyof IntegerToSend));
  if (/^-?\d+$/.test(integer)) return BigInt(integer);
  return Object.fromEntries(Object.entries(value).map(([field, inside]) => [field, restoreIntegers(inside)]));
}

function onlyField(value: unknown, name: string): unknown {
  return isObject(value) && Object.keys(value).length === 1 ? value[name] : undefined;
}
