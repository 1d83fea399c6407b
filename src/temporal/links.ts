import type { Client } from '@temporalio/client';
import { LONGEST_LINK_DAYS } from '../messages/codes.js';
import type { LinkLanguage } from '../messages/links.js';
import { describeWithMemo, inMemo } from './search.js';
import { undefinedIfMissing } from './unavailable.js';

/** The requirement of a link. */
export interface LinkPlace {
  readonly workflowId: string;
  readonly requirementId: string;
  /** The SHA-256 of the token. */
  readonly tokenHash: string;
  readonly language: LinkLanguage;
}

const MEMO = 'link';

/** How long a link still says that it has ended. */
const RECORD_LIFETIME_MS = 2 * LONGEST_LINK_DAYS * 24 * 3_600_000;

/**
 * Records where a link leads, so its name need not contain that. The record is a workflow that never runs, because its start delay
 * exceeds its timeout. Its memo is encrypted.
 */
export async function recordLink(
  client: Client,
  link: string,
  place: LinkPlace,
  taskQueue: string,
): Promise<void> {
  await client.workflow.start('merchantLink', {
    workflowId: idOf(link),
    taskQueue: `${taskQueue}-link`,
    workflowExecutionTimeout: RECORD_LIFETIME_MS,
    startDelay: 2 * RECORD_LIFETIME_MS,
    memo: { [MEMO]: place },
    workflowIdConflictPolicy: 'FAIL',
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
  });
}

/** Deletes the record of a link that was not created. */
export async function forgetLink(client: Client, link: string): Promise<void> {
  // If this fails, the record remains, for a token that nobody has.
  await client.workflow
    .getHandle(idOf(link))
    .terminate('the link was not made')
    .catch(() => undefined);
}

/** Returns where a link leads; undefined if there is no such link. */
export async function findLink(client: Client, link: string): Promise<LinkPlace | undefined> {
  const execution = await undefinedIfMissing(describeWithMemo(client, idOf(link)));
  return execution && ((await inMemo(client, execution, MEMO)) as LinkPlace | undefined);
}

function idOf(link: string): string {
  return `merchant-link-${link}`;
}
