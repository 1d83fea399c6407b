import type { Route } from '../route.js';
import { ANSWERING_ROUTES } from './answering.js';
import { BATCH_FILE_ROUTES } from './batch-file.js';
import { BATCH_ROUTES } from './batches.js';
import { DOCUMENT_ROUTES } from './documents.js';
import { HANDLING_ROUTES } from './handling.js';
import { INBOX_ROUTES } from './inbox.js';
import { ONBOARDING_ROUTES } from './onboarding.js';
import { ONBOARDINGS_ROUTES } from './onboardings.js';
import { REPORT_ROUTES } from './report.js';
import { REQUIREMENT_ROUTES } from './requirement.js';
import { START_ROUTES } from './start.js';

export const ROUTES: readonly Route[] = [
  ...INBOX_ROUTES,
  ...ONBOARDINGS_ROUTES,
  ...ONBOARDING_ROUTES,
  ...REQUIREMENT_ROUTES,
  ...ANSWERING_ROUTES,
  ...HANDLING_ROUTES,
  ...DOCUMENT_ROUTES,
  ...START_ROUTES,
  ...BATCH_FILE_ROUTES,
  ...BATCH_ROUTES,
  ...REPORT_ROUTES,
];
