import { h } from 'preact';
import { render } from 'preact-render-to-string';
import { expect, it } from 'vitest';
import { AboutBusiness } from '../../../../src/apps/console/pages/about-requirement.js';
import type { Listed } from '../../../../src/temporal/search.js';

it('the card of a business names fields that end alike with their groups, and codes of the bank in words', () => {
  const listed = { workflowId: 'merchant-boarding-m-1' } as Listed;
  const input = {
    website: 'https://example.com',
    holder: { authorizingPersonTitle: 3, businessType: 4, state: 33 },
    fees: { keyed: { perItem: '0.10' }, swiped: { perItem: '0.05' } },
  };
  const page = render(h(AboutBusiness, { listed, input, state: undefined }));
  const facts = [...page.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(([, name, value]) => [name, value]);
  expect(facts).toEqual([
    ['Website', 'https://example.com'],
    ['Authorizing person title', 'Ms'],
    ['Business type', 'LLC'],
    // The bank publishes no names of these.
    ['State', '33 (the bank’s number)'],
    ['Fees, keyed, per item', '0.10'],
    ['Fees, swiped, per item', '0.05'],
  ]);
});
