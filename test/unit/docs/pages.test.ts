import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  businessOnboardingInput,
  customerOnboardingInput,
  merchantBoardingInput,
} from '../../../src/messages/inputs.js';
import { REQUIREMENT_KINDS } from '../../../src/messages/requirements.js';

const text = (path: string) => readFileSync(path, 'utf8');

describe('docs/operations.md', () => {
  it('has a runbook for each kind of requirement, with what happened, how to see it, what to do and what not to do', () => {
    const sections = text('docs/operations.md').split(/^#{2,3} /m);
    const runbooks = sections.filter((section) => section.startsWith('Requirement: '));
    expect(runbooks.map((each) => /^Requirement: `(.+)`$/m.exec(each)?.[1])).toEqual(REQUIREMENT_KINDS);
    for (const runbook of runbooks)
      expect(runbook).toMatch(/What happened:\*\*.+See it:\*\*.+\*\*Do:\*\*.+\*\*Do not\*\*/s);
  });
});

describe('docs/onboardings.md', () => {
  it('names the fields of each input, as its schema does', () => {
    const section =
      text('docs/onboardings.md')
        .split(/^## Inputs?.*$/m)[1]
        ?.split(/^###? /m)[0] ?? '';
    const [ofAll = [], ofMerchant = [], ofBusiness = []] = section
      .split(/^\| field .*$/m)
      .slice(1)
      .map((table) =>
        [...table.matchAll(/^\| (`\w+`(?: or `\w+`)?) \|/gm)].flatMap(
          ([, cell = '']) => cell.match(/\w+(?=`)/g) ?? [],
        ),
      );
    const [, ofCustomer = ''] = /^A customer has (.+)\.$/m.exec(section) ?? [];
    const fields = (schema: { readonly shape: object }) => new Set(Object.keys(schema.shape));
    expect(new Set([...ofAll, ...ofMerchant])).toEqual(fields(merchantBoardingInput()));
    expect(new Set([...ofAll, ...ofBusiness])).toEqual(fields(businessOnboardingInput()));
    const own = ['externalId', 'account', ...(ofCustomer.match(/\w+(?=`)/g) ?? [])];
    expect(new Set(own)).toEqual(fields(customerOnboardingInput()));
  });
});

describe('docs/monitoring.md', () => {
  it('lists the metrics that the code counts, and no others', () => {
    const metricsIn = (path: string) => text(path).match(/\bgangway_[a-z_]+[a-z]\b/g) ?? [];
    const counted = globSync('src/**/*.{ts,tsx}').flatMap(metricsIn);
    expect(counted.length).toBeGreaterThan(20);
    expect(new Set(metricsIn('docs/monitoring.md'))).toEqual(new Set(counted));
  });
});

describe('the promise about writes', () => {
  const PLACE = 'architecture.md#what-a-write-promises';
  const pathOf = (page: string) => `docs/${page}.md`;

  it('is stated in one place, with its limits, and other pages link to it', () => {
    const [, promise = ''] = text('docs/architecture.md').split('### What a write promises');
    for (const limit of ['--retry', '--clear-heartbeat-details', '--again', 'retention', 'disaster recovery'])
      expect(promise.split('\n### ')[0]).toContain(limit);
    const pages = ['README.md', 'CHANGELOG.md', ...['onboardings', 'commands', 'partner-apis'].map(pathOf)];
    for (const page of pages) expect(text(page), page).toContain(PLACE);
  });

  it('is not exceeded elsewhere', () => {
    const pages = globSync('docs/**/*.md').filter((path) => !path.startsWith('docs/api/'));
    for (const page of ['README.md', 'CHANGELOG.md', ...pages]) {
      expect(text(page).replace(/\s+/g, ' '), page).not.toMatch(
        /never creates a merchant twice|writes? (that )?(happens?|takes? effect|sent) (exactly )?once|writes once/i,
      );
    }
  });
});
