import { z } from 'zod';
import { url } from '../platform/settings/settings.js';

export const webUiSettings = z.object({
  GANGWAY_UI_URL: url.optional().meta({
    description: 'Address of the Temporal Web UI, for links.',
    unset: 'no links',
    address: false,
  }),
});

export function workflowsPage(ui: string | undefined, namespace: string): string | undefined {
  return ui && `${ui.replace(/(?<!\/)\/+$/, '')}/namespaces/${namespace}/workflows`;
}

/**
 * Returns the page of a workflow in the Temporal Web UI that shows what a person must do, not the default page; undefined if its
 * address is unknown.
 */
export function workflowPage(
  ui: string | undefined,
  namespace: string,
  { workflowId, runId }: { readonly workflowId: string; readonly runId: string },
): string | undefined {
  const list = workflowsPage(ui, namespace);
  return list && `${list}/${encodeURIComponent(workflowId)}/${runId}/user-metadata`;
}
