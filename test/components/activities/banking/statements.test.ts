import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  activitiesAtSandbox,
  activitiesOf,
  failed,
} from '../../../rigs/activities/banking/running-activities.js';
import { bankingPartner } from '../../../rigs/partners/banking/partner.js';
import { type Respond, responding } from '../../../rigs/partners/servers.js';

const request = { period: '2026-01', financialAccountIds: ['fa-501-1'], fileFormat: 'PDF' } as const;
const PDF = '%PDF-1.7\n1 0 obj\n%%EOF\n';

describe('a statement', () => {
  it.each([
    ['PDF', '2026-01-fa-501-1.pdf', /^%PDF-1\.4\n[\s\S]*%%EOF\n$/],
    ['CSV', '2026-01-fa-501-1.csv', /^account,date,description,amount\r\nfa-501-1,2026-01-03/],
    ['QBO', '2026-01-fa-501-1.qbo', /^OFXHEADER:100\r\n/],
    ['OFX', '2026-01-fa-501-1.ofx', /<ACCTID>fa-501-1</],
  ] as const)('as %s is in the folder as %s, for its owner only', async (fileFormat, fileName, content) => {
    const { run, folder } = await activitiesAtSandbox();
    const saved = await run('saveStatement', { ...request, fileFormat });
    const text = await readFile(join(folder, fileName), 'latin1');
    expect(text).toMatch(content);
    expect(saved).toEqual({ fileName, bytes: text.length, format: fileFormat });
    expect((await stat(join(folder, fileName))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(await readdir(folder)).toEqual([fileName]);
  });

  it.each([
    ['application/octet-stream', 'QBO', '2026-01-fa-501-1.qbo', 'OFXHEADER:100\n<OFX></OFX>'],
    ['text/csv; charset=utf-8', 'CSV', '2026-01-fa-501-1.csv', 'account,date,amount\n'],
    ['application/pdf', 'PDF', '2026-01-fa-501-1.pdf', PDF],
  ])('with content type %s is %s', async (contentType, format, fileName, content) => {
    const { client } = await bankingPartner(responding(200, content, { 'content-type': contentType }));
    const { run } = await activitiesOf(client);
    const saved = await run('saveStatement', { ...request, fileFormat: format === 'PDF' ? 'CSV' : 'QBO' });
    expect(saved).toEqual({ fileName, bytes: content.length, format });
  });

  it.each([
    ['a sign-in page', '<html>Sign in</html>', 'text/html'],
    ['a failure', '{"success":false}', 'application/json'],
    ['nothing', '', 'application/pdf'],
  ])('that is %s is a response that cannot be read, and no e-mail counts as sent', async (_, body, type) => {
    const { client } = await bankingPartner(responding(200, body, { 'content-type': type }));
    const { run, folder } = await activitiesOf(client);
    const question = await failed(run('saveStatement', request));
    const unreadable = { kind: 'Uncertain', unreadable: 'generate-full-statement' };
    expect(question).toMatchObject({ details: unreadable, isRetried: true });
    const sent = await failed(run('sendStatement', { ...request, email: 'ada@example.com' }));
    expect(sent).toMatchObject({ details: unreadable, isRetried: false });
    expect(await readdir(folder)).toEqual([]);
  });

  it('is requested by the middle of its month in every zone, with an e-mail address if given', async () => {
    const { client, requests } = await bankingPartner(
      responding(200, PDF, { 'content-type': 'application/pdf' }),
    );
    const { run, folder } = await activitiesOf(client);
    await run('saveStatement', request);
    await run('sendStatement', { ...request, email: 'ada@example.com' });
    expect(await readdir(folder)).toEqual(['2026-01-fa-501-1.pdf']);
    const whole = { period: '2026-01-15T12:00:00Z', financialAccountIds: ['fa-501-1'], fileFormat: 'PDF' };
    expect(requests().map(({ body }) => JSON.parse(String(body)))).toEqual([
      whole,
      { ...whole, email: 'ada@example.com' },
    ]);
  });

  it.each<[string, object, object]>([
    ['an account that there is not', { financialAccountIds: ['fa-7'] }, { status: 404 }],
    ['an account of another partner', { financialAccountIds: ['fa-601-1'] }, { status: 403 }],
    ['no account', { financialAccountIds: [] }, { fields: [{ field: 'financialAccountIds' }] }],
    ['no month', { period: '../2026' }, { fields: [{ field: 'period' }] }],
  ])('of %s fails, and is not requested again', async (_, more, details) => {
    const { run, folder } = await activitiesAtSandbox();
    const refused = await failed(run('saveStatement', { ...request, ...more }));
    expect(refused).toMatchObject({ details, isRetried: false });
    await expect(readdir(folder)).rejects.toThrow('ENOENT');
  });
});

describe('a statement that breaks off', () => {
  const breakingOff: Respond = (response) => {
    response
      .writeHead(200, { 'content-type': 'application/pdf', 'content-length': '1000' })
      .write('%PDF-1.4', () => response.destroy());
  };

  it.each([
    ['is asked for again', 'saveStatement', true],
    ['is not, because the partner has sent it by e-mail', 'sendStatement', false],
  ] as const)('%s, and leaves the earlier file', async (_, name, isRetried) => {
    let respond: Respond = responding(200, PDF, { 'content-type': 'application/pdf' });
    const { client } = await bankingPartner((response, incoming) => respond(response, incoming));
    const { run, folder } = await activitiesOf(client);
    const { fileName } = await run('saveStatement', request);
    respond = breakingOff;
    const email = { email: 'ada@example.com' };
    const { details, isRetried: again } = await failed(run(name, { ...request, ...email }));
    expect(details).toMatchObject({ operation: 'generate-full-statement', kind: 'Uncertain' });
    expect(again).toBe(isRetried);
    expect(await readdir(folder)).toEqual([fileName]);
    expect(await readFile(join(folder, fileName), 'utf8')).toBe(PDF);
  });
});

it('while a statement arrives slowly, the worker sends heartbeats', async () => {
  let finish = () => {};
  const { client } = await bankingPartner((response) => {
    response.writeHead(200, { 'content-type': 'application/pdf' }).write('%PDF-');
    finish = () => void response.end('%%EOF');
  });
  const { run, heartbeats } = await activitiesOf(client);
  const saved = run('saveStatement', request, { heartbeatTimeoutMs: 300 });
  await expect.poll(() => heartbeats.length).toBeGreaterThan(2);
  finish();
  expect(await saved).toMatchObject({ bytes: 10 });
});
