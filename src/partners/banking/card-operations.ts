import { z } from 'zod';
import { idempotent, type Operations, once, read } from '../catalogue.js';
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

export function cardOperations(svc: string) {
  return {
    setCardNickname: idempotent('POST /api/paymentCards/nickName', {
      reference: 'E4',
      summary: 'Set a card’s nickname, or clear it',
      inWorkflows: true,
      request: cardNickname,
      response: paymentCard,
    }),
    closeCard: once(`POST /${svc}/paymentCard/closePaymentCard`, {
      reference: 'E8',
      summary: 'Close a card permanently',
      irreversible: true,
      inWorkflows: true,
      request: cardClosing,
      response: boardingResponse,
    }),
    createCard: once('POST /api/paymentCards', {
      summary: 'Issue a card on a financial account',
      request: newCard,
      response: paymentCard,
    }),
    listCards: read('GET /api/paymentCards', {
      summary: 'The cards of the caller',
      query: ['skip', 'count'],
      request: z.strictObject(page),
      response: paymentCards,
    }),
    setCardStatus: idempotent('POST /api/paymentCards/status', {
      summary: 'Set a card’s status',
      request: z.strictObject({ paymentCardId: text, status: z.int().min(0).max(3) }),
      response: anyResponse,
    }),
    setCardAuthorizationControls: idempotent('POST /api/paymentCards/authorizationControls', {
      summary: 'Replace a card’s authorization controls',
      request: z.strictObject({
        paymentCardId: text,
        authorizationControls: z.array(z.record(z.string(), exactJson)),
      }),
      response: anyResponse,
    }),
    suspendCard: idempotent(`POST /${svc}/paymentCard/suspendPaymentCard`, {
      summary: 'Suspend a card; activate-card undoes it',
      request: cardWithReason,
      response: boardingResponse,
    }),
    activateCard: idempotent(`POST /${svc}/paymentCard/activatePaymentCard`, {
      summary: 'Activate a suspended card',
      request: cardWithReason,
      response: boardingResponse,
    }),
    reissueCard: once(`POST /${svc}/paymentCard/reissuePaymentCard`, {
      summary: 'Replace a card; the old one stops working',
      irreversible: true,
      request: cardWithReason,
      response: boardingResponse,
    }),
    listPaymentCards: read(`GET /${svc}/paymentCard/list`, {
      summary: 'The cards of a user profile',
      query: ['userProfileId', 'skip', 'count'],
      inWorkflows: true,
      request: z.strictObject({ userProfileId: int32.optional(), ...page }),
      response: paymentCards,
    }),
  } satisfies Operations;
}
