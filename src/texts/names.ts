import { ACCOUNTS, partsOfId, systemOf } from '../messages/ids.js';

interface Named {
  readonly workflowId: string;
  readonly dba?: string | undefined;
}

export function nameOf({ workflowId, dba }: Named): string {
  if (dba !== undefined) return dba;
  const { type = '', account } = partsOfId(workflowId) ?? {};
  if (!(type in ACCOUNTS)) return workflowId;
  const system = systemOf(workflowId);
  const partner = `${system.slice(0, 1).toUpperCase()}${system.slice(1)} partner`;
  return account === undefined ? partner : `${partner}, account ${account}`;
}

/** `Acme Bikes (merchant-boarding-m-1)`; without a name the id alone. */
export function nameWithId(named: Named): string {
  const name = nameOf(named);
  return name === named.workflowId ? name : `${name} (${named.workflowId})`;
}
