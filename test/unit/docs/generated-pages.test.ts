import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GENERATED_PAGES } from '../../../scripts/generated-pages.js';
import { LIBRARY_SECTIONS, SECTIONS, settingsOf } from '../../../scripts/settings.js';
import { operationName } from '../../../src/partners/catalogue.js';
import { PARTNERS, SYSTEM_NAMES } from '../../../src/partners/descriptors.js';

const text = (path: string) => readFileSync(path, 'utf8');
const namesIn = (code: string, pattern: RegExp) => new Set(code.match(pattern));

describe('a page that is made from the code', () => {
  it.each(Object.entries(GENERATED_PAGES))('%s: is up to date', (path, content) => {
    expect(text(path), `${path} is out of date: run "npm run docs"`).toBe(content());
  });
});

describe('docs/partner-apis.md', () => {
  it.each(SYSTEM_NAMES)('%s: states of no documented operation what is assumed', (system) => {
    const { title, operations } = PARTNERS[system];
    const [, assumptions = ''] = text('docs/partner-apis.md').split(`### ${title}: assumptions\n`);
    const [own = ''] = assumptions.split('<!--');
    const lines = own.match(/^- \*\*.*?\*\*:/gm) ?? [];
    const named = lines.flatMap((line) => [...line.matchAll(/\*\*([\w-]+)\*\*/g)].map(([, name]) => name));
    const assumed = Object.entries(operations({}))
      .filter(([, { provenance = 'assumed' }]) => provenance === 'assumed')
      .map(([key]) => operationName(key));
    expect(named.filter((name = '') => !assumed.includes(name))).toEqual([]);
  });
});

describe('docs/configuration.md', () => {
  it.each(SECTIONS.map((section) => [section.title, section] as const))(
    '%s: names a process that reads each setting, and no setting that does not exist',
    (_, section) => {
      expect(settingsOf(section).filter(({ readers }) => readers.length === 0)).toEqual([]);
    },
  );

  it('has every setting that the code reads without a schema', () => {
    const described = LIBRARY_SECTIONS.flatMap(({ settings }) => settings.map(({ name }) => name));
    const ours = globSync('src/**/*.ts').map(text).join('\n');
    const envconfig = globSync('node_modules/@temporalio/envconfig/lib/*.js').map(text).join('\n');
    const read = [
      ...namesIn(ours, /\bOTEL_[A-Z_]+[A-Z]\b/g),
      ...namesIn(ours, /\b(TEMPORAL_(?!TLS_\*)[A-Z_]+(PATH|FILE)|NODE_[A-Z_]+)\b/g),
      ...namesIn(envconfig, /\bTEMPORAL_[A-Z_]+[A-Z]\b/g),
    ];
    // A codec endpoint is for the `temporal` command; the switch for host names is not documented, so that nobody uses it.
    const left = ['TEMPORAL_CODEC_ENDPOINT', 'TEMPORAL_CODEC_AUTH', 'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION'];
    const headers = 'TEMPORAL_GRPC_META';
    expect(read).toContain('TEMPORAL_ADDRESS');
    expect(read).toContain('OTEL_SERVICE_NAME');
    expect(read.filter((name) => ![...described, ...left, headers].includes(name))).toEqual([]);
  });
});
