import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../processes.js';
import { pythonPackages } from '../python-packages.js';

/** schemathesis and its dependencies. `uv pip compile --universal --generate-hashes` writes the file. */
const REQUIREMENTS = fileURLToPath(new URL('schemathesis-requirements.txt', import.meta.url));

/**
 * What each response must be. A 500 is in no document, so it has a wrong status. A schema cannot express every rule, so valid
 * requests may be rejected. Fastify itself rejects the method QUERY, as RFC 10008 requires.
 */
const CHECKS = [
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'ignored_auth',
];

/** The result of a run. */
export interface Attack {
  /** How many requests it sent. */
  readonly cases: number;
  /** Its output, if it found something. */
  readonly found: string;
}

/** Sends requests that an OpenAPI document allows or forbids to the server at `url`, for some seconds, always in the same order. */
export async function attack(url: string, seconds: number, args: readonly string[]): Promise<Attack> {
  const packages = await pythonPackages('schemathesis', REQUIREMENTS);
  const folder = await mkdtemp(join(tmpdir(), 'gangway-schemathesis-'));
  try {
    const cassette = join(folder, 'cassette.ndjson');
    const bounds = ['--max-time', `${seconds}`, '--seed', '1', '--generation-database', 'none'];
    const output = ['--no-color', '--warnings', 'off', '--report', 'har', '--report-har-path', cassette];
    const { code, stdout, stderr } = await run(
      'python3',
      [
        '-m',
        'schemathesis.cli',
        'run',
        `${url}/openapi.json`,
        '--checks',
        CHECKS.join(),
        ...bounds,
        ...output,
        ...args,
      ],
      { PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' },
      '',
      // It writes its findings to the current folder.
      folder,
    );
    const { entries } = JSON.parse(await readFile(cassette, 'utf8')).log as { entries: unknown[] };
    return { cases: entries.length, found: code === 0 ? '' : `${stdout}${stderr}` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
