import { describe, expect, it } from 'vitest';
import {
  changed,
  HOLDER,
  holderOf,
  OWNER,
  runBanking,
} from '../../../../rigs/sandbox/banking/running-banking.js';

const E7 = 'POST /svc/businessAccountHolder';
const E8 = 'POST /svc/paymentCard/closePaymentCard';

const withOwner = (field: string, json?: string) => changed(HOLDER, 'owner', changed(OWNER, field, json));

describe('bodies of refusals', () => {
  it('list each field with its problem', async () => {
    const banking = await runBanking();
    const { text } = await banking.call(E8, '{"paymentCardId":"","last4":7}');
    expect(JSON.parse(text)).toEqual({
      message: 'Validation failed',
      errors: {
        paymentCardId: ['must not be empty'],
        last4: ['must be text'],
      },
    });
  });

  it('name the fields of an owner by their path', async () => {
    const banking = await runBanking();
    const { text } = await banking.call(E7, withOwner('zipCode', '"1"'));
    expect(JSON.parse(text).errors).toEqual({ 'owner.zipCode': ['must be 5 digits'] });
  });

  it('list the scenarios when the magic value is unknown', async () => {
    const banking = await runBanking();
    const { text } = await banking.call(E7, holderOf('horoscope'));
    expect(JSON.parse(text).errors.doingBusinessAsName[0]).toMatch(
      /unknown magic value \[horoscope\].*\/sandbox\/scenarios.*straight, .*waiting/,
    );
  });
});
