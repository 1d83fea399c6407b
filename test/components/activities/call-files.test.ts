import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bankingActivities } from '../../../src/activities/banking.js';
import { boardingActivities } from '../../../src/activities/boarding.js';
import { awaitResponse } from '../../../src/at-most-once/activity.js';
import { boardingClient } from '../../../src/partners/boarding/client.js';
import { documentStore } from '../../../src/partners/documents/document-store.js';
import { openStore } from '../../../src/platform/documents/open-store.js';
import { failed } from '../../rigs/activities/banking/running-activities.js';
import { environment } from '../../rigs/activities/environment.js';
import { newFolder } from '../../rigs/folders.js';
import { bankingPartner } from '../../rigs/partners/banking/partner.js';
import { responding } from '../../rigs/partners/servers.js';

const KEY = '00000000-0000-4000-8000-000000000000.pdf';
const poll = { minMs: 60_000, maxMs: 3_600_000 };
const meaningOf = async () => undefined;

beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
});
afterEach(() => void vi.unstubAllEnvs());

const at = (AWS_ENDPOINT_URL_S3: string) => ({ ...process.env, AWS_ENDPOINT_URL_S3 });

const missing = async () => openStore(await newFolder());
const refused = () => openStore('s3://example-bucket', at('http://127.0.0.1:1'));
const unavailable = () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'hunter2');
  return refused();
};

const field = (name: string, message: string) => [{ field: name, message }];

// Proves B4.
describe('a document that the store does not return', () => {
  it.each([
    ['is not there', missing, 'Rejected', false, field('document', 'check.pdf is not in the document store')],
    [
      'must not be read',
      refused,
      'Rejected',
      false,
      field('document', 'check.pdf cannot be read: s3://example-bucket: CredentialsProviderError'),
    ],
    ['cannot be reached', unavailable, 'NotSent', true, []],
  ] as const)('because it %s costs no partner call', async (_, store, kind, mayComeLater, fields) => {
    // A call would fail differently than expected.
    const client = boardingClient({ url: 'http://127.0.0.1:1', username: 'u', password: 'p', posNames: [] });
    const activities = boardingActivities({
      fourEyes: [],
      client,
      documents: documentStore(await store()),
      poll,
      meaningOf,
    });
    const document = { key: KEY, fileName: 'check.pdf', contentType: 'application/pdf' };
    const request = { merchantProfileId: 1, document, description: 'a note' };
    const { details, isRetried } = await failed(
      environment().run(() => awaitResponse(activities.attachDocument(request))),
    );
    expect(details).toEqual({
      system: 'boarding',
      operation: 'upload-attachment',
      kind,
      fields,
      atStore: true,
      reason: expect.stringMatching(
        /^no document: (no such file \(ENOENT\)|CredentialsProviderError|ECONNREFUSED)$/,
      ),
    });
    expect(isRetried).toBe(mayComeLater);
    await client.close();
  });
});

describe('a statement that the store does not save', () => {
  it.each([
    [
      'is no use to try again, when a person must mend the store',
      refused,
      'Rejected',
      field('file', 'cannot be saved: s3://example-bucket: CredentialsProviderError'),
    ],
    ['is asked for again, when the store is unavailable', unavailable, 'NotSent', []],
  ] as const)('%s', async (_, store, kind, fields) => {
    const { client } = await bankingPartner(
      responding(200, '%PDF-1.7\n%%EOF', { 'content-type': 'application/pdf' }),
    );
    const { saveStatement } = bankingActivities({
      fourEyes: [],
      client,
      statements: await store(),
      poll,
      meaningOf,
    });
    const request = { period: '2026-01', financialAccountIds: ['fa-501-1'], fileFormat: 'PDF' } as const;
    const { details, isRetried } = await failed(environment().run(() => saveStatement(request)));
    expect(details).toMatchObject({ operation: 'generate-full-statement', kind, fields });
    expect(isRetried).toBe(kind === 'NotSent');
  });
});
