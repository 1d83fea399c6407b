import { ApplicationFailure } from '@temporalio/common';
import { upsertSearchAttributes, type WorkflowInterceptors, workflowInfo } from '@temporalio/workflow';
import { atAccount, WORKFLOW_ID_PREFIXES } from '../messages/ids.js';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { ACCOUNT_NAME, ACCOUNT_NAME_RULE } from '../partners/bounds.js';
import { accountName } from './journey/partner-activities.js';

/**
 * Removes `account` from the input of a workflow before it runs. Only the account in the workflow id counts: it keeps the same
 * key in two accounts apart. `gangway` puts it there, and other starters must do the same. A different account in the input or
 * in the search attribute, or an invalid account name, fails the workflow as `InvalidInput`.
 */
export function interceptors(): WorkflowInterceptors {
  return {
    inbound: [
      {
        execute(input, next) {
          const { workflowType, typedSearchAttributes } = workflowInfo();
          if (!(workflowType in WORKFLOW_ID_PREFIXES)) return next(input);
          const [first, ...others] = input.args;
          const { account, ...fields } = hasAccount(first) ? first : {};
          const ofId = accountName();
          const attribute = typedSearchAttributes.get(SEARCH_ATTRIBUTES.partnerAccount);
          for (const named of [account, attribute, ofId]) {
            if (named === undefined) continue;
            // An error thrown here would fail the workflow task, which the server retries forever.
            if (!isAccountName(named)) return Promise.reject(invalid(ACCOUNT_NAME_RULE));
            if (named !== ofId) return Promise.reject(invalid(notOfId(named)));
          }
          if (ofId !== undefined && attribute === undefined)
            upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.partnerAccount, value: ofId }]);
          return next(account === undefined ? input : { ...input, args: [fields, ...others] });
        },
      },
    ],
  };
}

function notOfId(account: string): string {
  return `the workflow id must end in ${atAccount('', account)} for this account`;
}

function invalid(rule: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`account: ${rule}`, 'InvalidInput');
}

function hasAccount(value: unknown): value is { readonly account: unknown } {
  return typeof value === 'object' && value !== null && 'account' in value && value.account !== undefined;
}

function isAccountName(value: unknown): value is string {
  return typeof value === 'string' && ACCOUNT_NAME.test(value);
}
