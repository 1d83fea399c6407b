import { NexusOperationFailure } from '@temporalio/common';
import {
  allHandlersFinished,
  condition,
  createNexusServiceClient,
  defineUpdate,
  setHandler,
} from '@temporalio/workflow';
import {
  type AnswerRequest,
  gangwayService,
  type MerchantToBoard,
  type OnboardingStatus,
} from 'gangway/nexus';
import { HandlerError } from 'nexus-rpc';

/** A shop that signs up at the caller's company. */
export interface SignUp {
  /** The Nexus endpoint of Gangway. */
  readonly endpoint: string;
  readonly merchant: MerchantToBoard;
}

/** How it ends: the shop can take payments, it cannot, or the sign-up form has to be corrected. */
export type SignedUp =
  | { readonly mid: string }
  | { readonly refused: string }
  | { readonly wrongInput: string };

/** The questions that underwriters have about the shop. */
export const questions = defineUpdate<OnboardingStatus['requirements']>('questions');

/** Answers one of them. */
export const answer = defineUpdate<void, [Omit<AnswerRequest, 'id'>]>('answer');

/** Boards a merchant through Gangway, which may take weeks. Waiting costs nothing. */
export async function signUp({ endpoint, merchant }: SignUp): Promise<SignedUp> {
  const gangway = createNexusServiceClient({ endpoint, service: gangwayService });
  const id = `merchant-boarding-${merchant.externalId}`;
  setHandler(questions, async () => (await gangway.executeOperation('getStatus', { id })).requirements);
  setHandler(answer, async (input) => {
    await gangway.executeOperation('answerRequirement', { id, ...input });
  });
  try {
    const end = await gangway.executeOperation('boardMerchant', merchant);
    return end.outcome === 'boarded' ? { mid: end.mid } : { refused: end.outcome };
  } catch (error) {
    const cause = error instanceof NexusOperationFailure ? error.cause : undefined;
    if (!(cause instanceof HandlerError && cause.type === 'BAD_REQUEST')) throw error;
    return { wrongInput: cause.message };
  } finally {
    await condition(allHandlersFinished);
  }
}
