import { z } from 'zod';
import { url } from '../settings/settings.js';

export const webUiSettings = z.object({
  GANGWAY_UI_URL: url.optional().meta({
    description: 'Address of the Temporal Web UI, for links.',
    unset: 'port of a Temporal server on this machine plus 1000, otherwise no links',
    address: false,
  }),
});

/** The Web UI of a development server is 1000 ports above the server. */
export function localUi(address: string): string | undefined {
  const local = /^(?:localhost|127\.0\.0\.1):(\d+)$/.exec(address);
  return local ? `http://127.0.0.1:${Number(local[1]) + 1_000}` : undefined;
}

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
