import { userInfo } from 'node:os';
import { partsOfId, systemOf } from '../../messages/ids.js';
import { ACCOUNTS } from '../../messages/workflow-types.js';

interface Named {
  readonly workflowId: string;
  readonly dba?: string | undefined;
}

export function displayName({ workflowId, dba }: Named): string {
  if (dba !== undefined) return dba;
  const { type = '', account } = partsOfId(workflowId) ?? {};
  if (!(type in ACCOUNTS)) return workflowId;
  const system = systemOf(workflowId);
  const partner = `${system.slice(0, 1).toUpperCase()}${system.slice(1)} partner`;
  return account === undefined ? partner : `${partner}, account ${account}`;
}

/** Returns `Acme Bikes (merchant-boarding-m-1)`; without a name, only the ID. */
export function nameWithId(named: Named): string {
  const name = displayName(named);
  return name === named.workflowId ? name : `${name} (${named.workflowId})`;
}

/** Returns this process's user, the default of `--actor`. In a container, it may have only a number. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.()}`;
  }
}
