import { ApplicationFailure } from '@temporalio/common';
import { upsertSearchAttributes, type WorkflowInterceptors } from '@temporalio/workflow';
import { ACCOUNT_NAME, ACCOUNT_NAME_RULE } from '../messages/account-name.js';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { partnerAccount } from './journey/partner-account.js';

/**
 * Takes `account` off the input of any workflow before it runs. `gangway` has set the search attribute by then that counts;
 * whoever starts a workflow by other means has named the account in the input only, and must not get another one. What is
 * no name of an account fails the workflow as `InvalidInput`.
 */
export function interceptors(): WorkflowInterceptors {
  return {
    inbound: [
      {
        execute(input, next) {
          const [first, ...others] = input.args;
          if (!hasAccount(first)) return next(input);
          const { account, ...members } = first;
          // Thrown here, it would fail the workflow's task, which is tried again for ever.
          if (!isAccountName(account)) return Promise.reject(invalid());
          if (account !== partnerAccount())
            upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.partnerAccount, value: account }]);
          return next({ ...input, args: [members, ...others] });
        },
      },
    ],
  };
}

function invalid(): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`account: ${ACCOUNT_NAME_RULE}`, 'InvalidInput');
}

function hasAccount(value: unknown): value is { readonly account: unknown } {
  return typeof value === 'object' && value !== null && 'account' in value && value.account !== undefined;
}

function isAccountName(value: unknown): value is string {
  return typeof value === 'string' && ACCOUNT_NAME.test(value);
}
