import { describe, expect, it } from 'vitest';
import { SYSTEM_NAMES } from '../../../../src/partners/descriptors.js';
import { lint } from '../../../rigs/partners/openapi/linter.js';
import { runSandbox } from '../../../rigs/sandbox/running-sandbox.js';

/** The API is the partner's, and no contract names a license. */
const SWITCHED_OFF = ['info-license'];

describe('the sandbox', () => {
  it('lists its documents, and has no others', async () => {
    const sandbox = await runSandbox();
    const named = await sandbox.control<Record<string, string>>('GET /openapi');
    expect(named['plant-store']).toBe('/openapi/plant-store.json');
    expect(Object.keys(named)).toEqual(SYSTEM_NAMES);
    for (const path of ['/openapi/horoscope.json', '/openapi/banking', '/openapi/'])
      expect((await sandbox.call(`GET ${path}`)).status, path).toBe(404);
  });

  it('lists its point-of-sale names in the document', async () => {
    const sandbox = await runSandbox({ posNames: ['Till'] });
    const { text } = await sandbox.call('GET /openapi/boarding.json');
    expect(text).toContain('"pos":{"type":"string","enum":["None","CustomPos","Till"]}');
  });
});

describe('a linter that is not ours accepts the document of', () => {
  it.each(SYSTEM_NAMES)('%s', async (system) => {
    const sandbox = await runSandbox();
    const { status, headers, text } = await sandbox.call(`GET /openapi/${system}.json`);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(text).toContain('"openapi":"3.1.0"');
    expect(await lint(text, SWITCHED_OFF)).toEqual([]);
  });

  it('no system, when something is wrong with it', async () => {
    const sandbox = await runSandbox();
    const { text } = await sandbox.call('GET /openapi/plant-store.json');
    const problems = await lint(text.replace('schemas/Error"', 'schemas/Erro"'), SWITCHED_OFF);
    expect(problems.map((problem) => problem.split(' ')[0])).toContain('no-unresolved-refs');
  });
});
