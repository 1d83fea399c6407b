import { ApplicationFailure } from '@temporalio/common';
import { upsertSearchAttributes, type WorkflowInterceptors, workflowInfo } from '@temporalio/workflow';
import { ACCOUNT_NAME, ACCOUNT_NAME_RULE, atAccount, WORKFLOW_ID_PREFIXES } from '../messages/ids.js';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { partnerAccount } from './journey/partner-account.js';

/**
 * Takes `account` off the input of a workflow before it runs. `gangway` puts the account into the workflow id, which counts.
 * Who starts a workflow by other means must do the same: an account that is named in the input or as a search attribute and
 * is not that of the id fails the workflow as `InvalidInput`, as does what cannot be the name of an account. Without it, the
 * id would keep out the same key of another account.
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
          const ofId = partnerAccount();
          const attribute = typedSearchAttributes.get(SEARCH_ATTRIBUTES.partnerAccount);
          for (const named of [account, attribute, ofId]) {
            if (named === undefined) continue;
            // Thrown here, it would fail the workflow's task, which is tried again for ever.
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
  return `the workflow id must end in ${atAccount('', account)}, because this account is named`;
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
