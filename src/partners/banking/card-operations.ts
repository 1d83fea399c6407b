import { z } from 'zod';
import type { Operations } from '../catalogue.js';
import { anyResponse, exactJson, int32, int64, text } from '../fields.js';
import { cardClosing, cardNickname } from './requests.js';
import { boardingResponse, paymentCard, paymentCards } from './responses.js';

const cardWithReason = z.strictObject({ paymentCardId: text, reason: z.string().optional() });

/** `maxTotalSpending` is in cents. */
export const newCard = z.looseObject({
  financialAccountId: text,
  paymentCardName: z.string().optional(),
  maxTotalSpending: int64.nullish(),
});

const page = { skip: int32.optional(), count: int32.optional() };

/** Payment cards. `svc` is the brand segment of the paths. */
export function cardOperations(svc: string) {
  return {
    setCardNickname: {
      reference: 'E4',
      summary: 'Set a card’s nickname, or clear it',
      method: 'POST',
      path: '/api/paymentCards/nickName',
      effect: 'idempotent',
      provenance: 'documented',
      inWorkflows: true,
      request: cardNickname,
      response: paymentCard,
    },
    closeCard: {
      reference: 'E8',
      summary: 'Close a card permanently',
      method: 'POST',
      path: `/${svc}/paymentCard/closePaymentCard`,
      effect: 'once',
      irreversible: true,
      provenance: 'documented',
      inWorkflows: true,
      request: cardClosing,
      response: boardingResponse,
    },
    createCard: {
      summary: 'Issue a card on a financial account',
      method: 'POST',
      path: '/api/paymentCards',
      effect: 'once',
      request: newCard,
      response: paymentCard,
    },
    listCards: {
      summary: 'The cards of the caller',
      method: 'GET',
      path: '/api/paymentCards',
      query: ['skip', 'count'],
      effect: 'read',
      request: z.strictObject(page),
      response: paymentCards,
    },
    setCardStatus: {
      summary: 'Set a card’s status',
      method: 'POST',
      path: '/api/paymentCards/status',
      effect: 'idempotent',
      request: z.strictObject({ paymentCardId: text, status: z.int().min(0).max(3) }),
      response: anyResponse,
    },
    setCardAuthorizationControls: {
      summary: 'Replace a card’s authorization controls',
      method: 'POST',
      path: '/api/paymentCards/authorizationControls',
      effect: 'idempotent',
      request: z.strictObject({
        paymentCardId: text,
        authorizationControls: z.array(z.record(z.string(), exactJson)),
      }),
      response: anyResponse,
    },
    suspendCard: {
      summary: 'Suspend a card; activate-card undoes it',
      method: 'POST',
      path: `/${svc}/paymentCard/suspendPaymentCard`,
      effect: 'idempotent',
      request: cardWithReason,
      response: boardingResponse,
    },
    activateCard: {
      summary: 'Activate a suspended card',
      method: 'POST',
      path: `/${svc}/paymentCard/activatePaymentCard`,
      effect: 'idempotent',
      request: cardWithReason,
      response: boardingResponse,
    },
    reissueCard: {
      summary: 'Replace a card; the old one stops working',
      method: 'POST',
      path: `/${svc}/paymentCard/reissuePaymentCard`,
      effect: 'once',
      irreversible: true,
      request: cardWithReason,
      response: boardingResponse,
    },
    listPaymentCards: {
      summary: 'The cards of a user profile',
      method: 'GET',
      path: `/${svc}/paymentCard/list`,
      query: ['userProfileId', 'skip', 'count'],
      effect: 'read',
      inWorkflows: true,
      request: z.strictObject({ userProfileId: int32.optional(), ...page }),
      response: paymentCards,
    },
  } as const satisfies Operations;
}
