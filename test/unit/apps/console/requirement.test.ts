import { h } from 'preact';
import { render } from 'preact-render-to-string';
import { expect, it } from 'vitest';
import { Business } from '../../../../src/apps/console/pages/about-requirement.js';
import type { Listed } from '../../../../src/temporal/search.js';

it('the card of a business names fields that end alike with their paths', () => {
  const listed = { workflowId: 'merchant-boarding-m-1' } as Listed;
  const input = {
    website: 'https://example.com',
    fees: { keyed: { perItem: '0.10' }, swiped: { perItem: '0.05' } },
  };
  const page = render(h(Business, { listed, input, state: undefined }));
  const facts = [...page.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(([, name, value]) => [name, value]);
  expect(facts).toEqual([
    ['Website', 'https://example.com'],
    ['Per item (fees.keyed.perItem)', '0.10'],
    ['Per item (fees.swiped.perItem)', '0.05'],
  ]);
});
