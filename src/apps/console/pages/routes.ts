import type { Role, Route } from '../route.js';
import { activityCsv, showActivity } from './activity.js';
import { answerRequirement, uploadDocuments } from './answering.js';
import { checkFile } from './batch-file.js';
import { batchProgress, results, showBatch, startBatch, stopBatch } from './batches.js';
import { loadDocument, showDocuments } from './documents.js';
import { claimChosen, runAction } from './handling.js';
import { type InboxSizes, showInbox, showWaiting } from './inbox.js';
import { actOnMerchantLink } from './links.js';
import { showLive, showOnboarding, showPrivate } from './onboarding.js';
import { showOnboardings } from './onboardings.js';
import { recordJson, reportCsv, reportJson, showRecord, showReport } from './report.js';
import { actOnClaim, postRemark, showRequirement, showState } from './requirement.js';
import { kindIn, showChoice, startFromFile } from './start.js';

const page = (path: string, role: Role, show: Route['show']): Route => ({ method: 'GET', path, role, show });
const part = (...of: Parameters<typeof page>): Route => ({ ...page(...of), part: true });
const form = (...of: Parameters<typeof page>): Route => ({ ...page(...of), method: 'POST' });
const upload = (...of: Parameters<typeof page>): Route => ({ ...form(...of), multipart: true });

const REQUIREMENT = '/onboardings/:id/requirements/:requirementId';

/** All pages and forms of the console. */
export const routesWith = (inbox: InboxSizes): readonly Route[] => [
  page('/', 'viewer', (context) => showInbox(context, inbox)),
  part('/inbox/part', 'viewer', (context) => showInbox(context, inbox, true)),
  part('/inbox/waiting', 'viewer', showWaiting),
  form('/inbox/claims', 'operator', claimChosen),
  page('/onboardings', 'viewer', showOnboardings),
  page('/onboardings/:id', 'viewer', showOnboarding),
  part('/onboardings/:id/part', 'viewer', showLive),
  form('/onboardings/:id/private', 'operator', showPrivate),
  page(REQUIREMENT, 'viewer', showRequirement),
  part(`${REQUIREMENT}/part`, 'viewer', showState),
  form(REQUIREMENT, 'operator', answerRequirement),
  upload(`${REQUIREMENT}/documents`, 'operator', uploadDocuments),
  form(`${REQUIREMENT}/claim`, 'operator', actOnClaim),
  form(`${REQUIREMENT}/proposal`, 'operator', (context) => runAction(context, ['confirm', 'withdraw'])),
  form(`${REQUIREMENT}/link`, 'operator', actOnMerchantLink),
  form(`${REQUIREMENT}/remarks`, 'operator', postRemark),
  page('/onboardings/:id/documents', 'viewer', showDocuments),
  page('/onboardings/:id/documents/:key', 'operator', loadDocument),
  page('/onboardings/:id/export', 'approver', showRecord),
  page('/onboardings/:id/export.json', 'approver', recordJson),
  page('/start', 'admin', showChoice),
  upload('/start/file', 'admin', startFromFile),
  page('/start/:kind', 'admin', (context) => kindIn(context).form(context)),
  { ...form('/start/:kind', 'admin', (context) => kindIn(context).start(context)), keepsTyped: true },
  page('/start/:kind/template.csv', 'admin', async (context) => kindIn(context).template(context)),
  page('/batches', 'admin', async () => ({ to: '/start' })),
  upload('/batches', 'admin', checkFile),
  page('/batches/:id', 'admin', showBatch),
  part('/batches/:id/part', 'admin', batchProgress),
  form('/batches/:id/start', 'admin', startBatch),
  form('/batches/:id/stop', 'admin', stopBatch),
  page('/batches/:id/results.csv', 'admin', results),
  page('/activity', 'viewer', showActivity),
  page('/activity.csv', 'viewer', activityCsv),
  page('/report', 'viewer', showReport),
  page('/report.json', 'viewer', reportJson),
  page('/report.csv', 'viewer', reportCsv),
];

export const ROUTES = routesWith({ page: 35, list: 1_000 });
