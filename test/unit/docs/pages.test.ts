import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REQUIREMENT_KINDS } from '../../../src/messages/requirements.js';

describe('docs/operations.md', () => {
  it('has a runbook for each kind of requirement, with what happened, how to see it, what to do and what not to do', async () => {
    const guide = await readFile('docs/operations.md', 'utf8');
    const runbooks = guide.split(/^#{2,3} /m).filter((section) => section.startsWith('Requirement: '));
    expect(runbooks.map((text) => /^Requirement: `(.+)`$/m.exec(text)?.[1])).toEqual(REQUIREMENT_KINDS);
    for (const text of runbooks) {
      expect(text).toMatch(/What happened:\*\*.+See it:\*\*.+\*\*Do:\*\*.+\*\*Do not\*\*/s);
    }
  });
});

describe('docs/monitoring.md', () => {
  it('lists the metrics that the code counts, and no others', () => {
    const metricsIn = (text: string) => text.match(/\bgangway_[a-z_]+[a-z]\b/g) ?? [];
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    const counted = sources.flatMap((name) => metricsIn(readFileSync(join('src', name), 'utf8')));
    expect(counted.length).toBeGreaterThan(20);
    expect(new Set(metricsIn(readFileSync('docs/monitoring.md', 'utf8')))).toEqual(new Set(counted));
  });
});

describe('the promise about writes', () => {
  const PLACE = 'architecture.md#what-a-write-promises';

  it('is stated in one place, with its limits, and other pages link to it', async () => {
    const [, promise = ''] = (await readFile('docs/architecture.md', 'utf8')).split(
      '### What a write promises',
    );
    for (const limit of ['--retry', '--clear-heartbeat-details', '--again', 'retention', 'disaster recovery'])
      expect(promise.split('\n### ')[0]).toContain(limit);
    for (const page of [
      'README.md',
      'CHANGELOG.md',
      'docs/onboardings.md',
      'docs/commands.md',
      'docs/partner-apis.md',
    ])
      expect(await readFile(page, 'utf8'), page).toContain(PLACE);
  });

  it('is not exceeded elsewhere', async () => {
    const pages = readdirSync('docs', { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !name.startsWith('api/'))
      .map((name) => join('docs', name));
    for (const page of ['README.md', 'CHANGELOG.md', ...pages]) {
      const prose = (await readFile(page, 'utf8')).replace(/\s+/g, ' ');
      expect(prose, page).not.toMatch(
        /never creates a merchant twice|writes? (that )?(happens?|takes? effect|sent) (exactly )?once|writes once/i,
      );
    }
  });
});
