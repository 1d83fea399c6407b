import { expect, it } from 'vitest';
import { merchantBoardingInput } from '../../../src/messages/inputs.js';
import { createMerchantRequest } from '../../../src/partners/boarding/schemas.js';

it('the merchant of an input has the fields and rules of the create', () => {
  const { agentProfileId: _, boardingSettingsId: _1, guid: _2, ...fields } = createMerchantRequest([]).shape;
  const issuesOf = (merchant: object) =>
    merchantBoardingInput()
      .safeParse({ externalId: 'm-1', merchant })
      .error?.issues.map(({ path }) => path.join('.'));
  const required = Object.entries(fields).flatMap(([name, field]) =>
    field.safeParse(undefined).success ? [] : [name],
  );
  expect(required).toContain('dba');
  expect(required).not.toContain('email');
  expect(issuesOf({})).toEqual(required.map((name) => `merchant.${name}`));
  expect(issuesOf({ guid: 'g' })).toContain('merchant');
});
