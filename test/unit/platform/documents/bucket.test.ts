import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openStore } from '../../../../src/platform/documents/open-store.js';
import { listening } from '../../../rigs/listening.js';

/** Responds as S3 does to small files. A real server is in test/nightly/platform/documents/. */
async function smallBucket() {
  const objects = new Map<string, { readonly content: Buffer; readonly type: string | undefined }>();
  const server = createServer(async (request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    const { 'content-type': type } = request.headers;
    if (request.method === 'PUT') objects.set(path, { content: await buffer(request), type });
    if (request.method === 'DELETE') objects.delete(path);
    const result = objects.get(path);
    if (request.method === 'DELETE') response.writeHead(204).end();
    else if (result)
      response.writeHead(200, { etag: '"1"' }).end(request.method === 'GET' ? result.content : '');
    else
      response
        .writeHead(404, { 'content-type': 'application/xml' })
        .end('<Error><Code>NoSuchKey</Code><Message>none</Message></Error>');
  });
  return { url: `http://${await listening(server)}`, objects };
}

it('a bucket has a file under its prefix with its type, returns it, removes it, and says that it is missing', async () => {
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'test');
  vi.stubEnv('AWS_REGION', 'us-east-1');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { url, objects } = await smallBucket();
  const env = { ...process.env, AWS_ENDPOINT_URL_S3: url };
  const files = await openStore('s3://papers/gangway/documents', env);
  expect(await files.save('check.pdf', Readable.from(['%PDF', '-1.7']), 'application/pdf')).toBe(8);
  expect([...objects]).toEqual([
    ['/papers/gangway/documents/check.pdf', { content: Buffer.from('%PDF-1.7'), type: 'application/pdf' }],
  ]);
  expect(await text(await files.open('check.pdf'))).toBe('%PDF-1.7');
  await files.remove('check.pdf');
  expect(objects.size).toBe(0);
  await expect(files.open('check.pdf')).rejects.toMatchObject({ name: 'StoreFailure', kind: 'missing' });
});
