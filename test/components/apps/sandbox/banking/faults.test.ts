import { expect, it } from 'vitest';
import { runBanking } from '../../../../rigs/sandbox/banking/running-banking.js';

const CLOSING = '{"paymentCardId":"card-1001"}';

it('the ledger shows the system, and text IDs of cards unchanged', async () => {
  const banking = await runBanking();
  await banking.create();
  await banking.call('POST /svc/paymentCard/closePaymentCard', CLOSING);
  await banking.submit();
  await banking.control('POST /sandbox/profiles/3001/transition', '{"tickets":[{"text":"Why?"}]}');
  await banking.call('POST /api/tickets', '{"text":"So.","parentTicketId":9001}');
  const at = expect.any(String);
  expect(await banking.control('GET /sandbox/ledger?system=banking')).toEqual([
    { seq: 2, at, system: 'banking', operation: 'close-card', id: 'card-1001' },
    {
      seq: 3,
      at,
      system: 'banking',
      operation: 'submit-business-account-holder',
      id: 3001,
      name: 'Corner Bakery',
      of: 'Baker LLC',
    },
    { seq: 4, at, system: 'banking', operation: 'create-ticket', id: 9002, of: 9001 },
  ]);
  expect(await banking.control('GET /sandbox/ledger?id=card-1001')).toHaveLength(1);
});
