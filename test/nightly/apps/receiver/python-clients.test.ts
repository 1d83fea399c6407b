import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { merchant } from '../../../rigs/inputs.js';
import { run } from '../../../rigs/processes.js';
import { PYTHON_PACKAGES_TIMEOUT_MS, pythonPackages } from '../../../rigs/python-packages.js';
import { type RunningReceiver, runReceiver, TOKEN } from '../../../rigs/receiver/running-receiver.js';
import { createRig, type Rig } from '../../../rigs/rig.js';

/** Generators of clients and their dependencies. `uv pip compile --universal --generate-hashes` writes the file. */
const REQUIREMENTS = fileURLToPath(
  new URL('../../../rigs/receiver/python-clients-requirements.txt', import.meta.url),
);
const EXAMPLES = fileURLToPath(new URL('../../../../examples', import.meta.url));

let rig: Rig;
let receiver: RunningReceiver;
let folder: string;
let python: (...args: readonly string[]) => ReturnType<typeof run>;

beforeAll(async () => {
  const packages = await pythonPackages('python-clients', REQUIREMENTS);
  folder = await mkdtemp(join(tmpdir(), 'gangway-python-'));
  rig = await createRig({ ownNamespace: true });
  receiver = await runReceiver(rig, { requestsPerMinute: 9_999_999, documentDir: rig.documentDir }, () => {});
  await writeFile(join(folder, 'openapi.json'), (await receiver.call('GET /openapi.json')).text);
  const env = {
    API_URL: receiver.url,
    API_TOKEN: TOKEN,
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONPATH: `${packages}:${folder}`,
    PATH: `${packages}/bin:${process.env['PATH']}`,
  };
  python = (...args) => run('python3', args, env, '', folder);
  const generated = await python(
    '-m',
    'openapi_python_client',
    'generate',
    '--path',
    'openapi.json',
    '--meta',
    'none',
    '--output-path',
    'gangway_client',
    '--fail-on-warning',
  );
  expect(generated).toMatchObject({ code: 0, stdout: 'Generating gangway_client\n', stderr: '' });
}, PYTHON_PACKAGES_TIMEOUT_MS);

afterAll(async () => {
  await receiver.close();
  await rig.close();
  await rm(folder, { recursive: true, force: true });
});

// Alone catches a document that people's own generators do not take.
describe('the OpenAPI document', () => {
  it('becomes models of pydantic without a warning', async () => {
    const models = ['--output', 'models.py', '--output-model-type', 'pydantic_v2.BaseModel'];
    const args = ['--input', 'openapi.json', '--input-file-type', 'openapi', '--formatters', 'builtin'];
    expect(await python('-m', 'datamodel_code_generator', ...args, ...models)).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
    expect(await python('-W', 'error', '-c', 'import models')).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

// Alone catches an example that no longer does what the page says.
describe('a program of 60 lines with the generated client', { timeout: 180_000 }, () => {
  it('starts an onboarding, answers two notes, one of them with a document, and prints the mid', async () => {
    const input = join(folder, 'merchant.json');
    await writeFile(input, JSON.stringify(merchant('notes')));
    const script = join(EXAMPLES, 'python', 'onboard.py');
    const ended = await python(script, input, join(EXAMPLES, 'voided-check.txt'));
    expect(ended).toEqual({ code: 0, stdout: expect.stringMatching(/^\d{15}\n$/), stderr: '' });
  });

  it('answers 100 notes with two workers, and none of them twice', async () => {
    const boardings = await Promise.all(Array.from({ length: 50 }, () => rig.board(merchant('notes'))));
    for (const boarding of boardings)
      await boarding.until(({ requirements }) => requirements.length === 2, 'two notes');
    for (const boarding of boardings) await boarding.listedAs((all) => all.length === 2);
    const { code, stdout, stderr } = await python(join(EXAMPLES, 'python', 'answer_all.py'));
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.trim().split('\n');
    expect(lines).toHaveLength(100);
    expect(new Set(lines.map((line) => line.split(' ').slice(0, 2).join(' '))).size).toBe(100);
    const people = lines.map((line) => line.split(' ').slice(2).join(' '));
    expect(new Set(people)).toEqual(new Set(['Ada Park', 'Ben Reader']));
    for (const boarding of boardings) {
      const { timeline } = await boarding.state();
      const answers = timeline.filter(({ event }) => event === 'requirement-resolved');
      expect(answers.map(({ actor }) => actor)).toEqual([
        expect.stringMatching(/^crm \(API\), for (Ada Park|Ben Reader)$/),
        expect.stringMatching(/^crm \(API\), for (Ada Park|Ben Reader)$/),
      ]);
    }
  });
});
