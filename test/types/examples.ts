/**
 * The examples of docstrings in src/. `npm run check` compiles this file and nobody runs it;
 * test/unit/docs/examples-in-code.test.ts compares the two.
 */
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import { partsOfId } from '../../src/messages/ids.js';
import type { KnownAccounts } from '../../src/messages/inputs.js';
import { omitUndefined } from '../../src/messages/objects.js';
import type { OnboardingState } from '../../src/messages/onboarding-state.js';
import { SEARCH_ATTRIBUTES } from '../../src/messages/search-attributes.js';
import { ONBOARDINGS } from '../../src/messages/workflow-types.js';
import type { FieldProblem } from '../../src/partners/partner-error.js';
import type { SystemName } from '../../src/partners/system-names.js';
import { Deadline } from '../../src/platform/http/deadline.js';
import { redact } from '../../src/platform/privacy/masked.js';
import { didYouMean } from '../../src/platform/settings/did-you-mean.js';
import { BadSetting, readSettings } from '../../src/platform/settings/settings.js';
import { InvalidInput } from '../../src/services/texts/invalid-input.js';
import { queryState } from '../../src/temporal/find-onboarding.js';

declare const client: Client;

export const examples = [
  { field: 'merchant.email', message: 'must be an email address' } satisfies FieldProblem,
  redact('SSN 123-45-6789'),
  partsOfId('merchant-boarding-m-1@acme')?.account,
  omitUndefined({ dba: 'Acme', mid: undefined }),
  new BadSetting('BOARDING_URL', 'must be an https URL').message,
  ONBOARDINGS.merchantBoarding.idPrefix,
  new InvalidInput('m.json is not valid', [{ field: 'dba', message: 'is required' }]).report,
  SEARCH_ATTRIBUTES.stage.name,
  readSettings(z.object({ RETRIES: z.coerce.number() }), { RETRIES: '3' }).RETRIES,
  { stage: 'applying', partnerStatus: null, requirements: [], timeline: [] } satisfies OnboardingState,
  'boarding' satisfies SystemName,
  didYouMean('emial', ['email', 'phone']),
  { posNames: [], accounts: { acme: { posNames: ['Clover'] } } } satisfies KnownAccounts,
  new Deadline({ ms: 30_000 }).signal,
  queryState(client, 'merchant-boarding-m-1'),
];
