import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { StoreFailure } from '../../../platform/documents/file-store.js';
import { Table } from '../../../services/reports/page.js';
import { displayName } from '../../../services/texts/display-names.js';
import { proposedAnswerOf, queryState } from '../../../temporal/find-onboarding.js';
import { answersIn, runsOf } from '../../../temporal/history.js';
import { toListed } from '../../../temporal/search.js';
import { UnreadableOnboarding } from '../../../temporal/unreadable.js';
import { openOnboarding, tabTitle } from '../onboarding-view.js';
import { pathOf } from '../query.js';
import { hasRole, PageError, type RequestContext, type RouteResponse } from '../route.js';
import { openDocumentStore } from '../uploads.js';
import { Empty, Person, Trail, When } from './parts.js';

/** Lists the documents that people sent. A browser saves them, and never opens them here. */

/** Reads the references to documents from the history, for each request, because few people open this page. */
async function documentsIn(client: Client, { workflowId, runId }: WorkflowExecutionDescription) {
  const { runs } = await runsOf(client, workflowId, runId);
  const answers = (await Promise.all(runs.map((run) => answersIn(client, run)))).flat();
  const proposals = await proposalsIn(client, workflowId);
  const sent = [...answers, ...(proposals ?? [])].flatMap(({ answer, ...sent }) =>
    answer.kind === 'documents' ? answer.documents.map((document) => ({ ...sent, document })) : [],
  );
  return { sent, isComplete: proposals !== undefined };
}

/** Returns the proposed answers, because people read their documents before they confirm. Undefined if no worker responds. */
async function proposalsIn(client: Client, workflowId: string) {
  try {
    const { requirements } = await queryState(client, workflowId);
    const proposing = requirements.filter(({ proposal }) => proposal);
    const proposed = await Promise.all(proposing.map(({ id }) => proposedAnswerOf(client, workflowId, id)));
    return proposed.filter((each) => each !== null);
  } catch (error) {
    if (error instanceof UnreadableOnboarding) return undefined;
    throw error;
  }
}

const UNREADABLE = 'Documents of proposed answers cannot be read now, because no worker responds.';

export async function showDocuments(context: RequestContext): Promise<RouteResponse> {
  const { client, user } = context;
  const description = await openOnboarding(context);
  const { workflowId, dba } = await toListed(client, description);
  const { sent, isComplete } = await documentsIn(client, description);
  const mayLoad = hasRole(user, 'operator');
  const page = (
    <>
      <Trail to={pathOf(workflowId)} name={displayName({ workflowId, dba })} />
      <h1>Documents</h1>
      {!isComplete && <p class="advice">{UNREADABLE}</p>}
      {sent.length === 0 && !isComplete ? null : sent.length === 0 ? (
        <Empty title="Nobody has sent a document.">
          Answer a requirement with documents, and they appear here.
        </Empty>
      ) : (
        <Table
          caption="What people sent"
          rows={sent}
          isWide
          columns={[
            {
              title: 'Document',
              cell: ({ document: { key, fileName } }) =>
                mayLoad ? <a href={pathOf(workflowId, 'documents', key)}>{fileName}</a> : fileName,
            },
            { title: 'From', cell: ({ actor }) => <Person actor={actor} /> },
            { title: 'Sent', cell: ({ at }) => <When time={at} /> },
          ]}
        />
      )}
      {sent.length > 0 && mayLoad && <p class="advice">The audit log records who saves a document.</p>}
    </>
  );
  return { title: tabTitle(context, { workflowId, dba }, 'Documents'), page };
}

/** Returns a document only if an answer of this onboarding names it. */
export async function loadDocument(context: RequestContext): Promise<RouteResponse> {
  const { client, user, settings, audit, params } = context;
  const description = await openOnboarding(context);
  const { workflowId } = description;
  const { sent, isComplete } = await documentsIn(client, description);
  const entry = sent.find(({ document }) => document.key === params['key']);
  if (!entry && !isComplete) throw new PageError(503, UNREADABLE);
  if (!entry) throw new PageError(404, 'This onboarding has no such document.');
  const store = await openDocumentStore(settings);
  try {
    const file = await store.open(entry.document);
    audit(user, { what: 'save a document', workflowId, requirementId: entry.requirementId });
    return { file, fileName: entry.document.fileName, contentType: 'application/octet-stream' };
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error;
    const isGone = error.kind === 'missing';
    throw new PageError(
      isGone ? 404 : 503,
      isGone ? 'The document store no longer has this document.' : 'The document store does not respond now.',
    );
  }
}
