/** The list of workflows in the Temporal Web UI; undefined when its address is unknown. */
export function workflowsPage(ui: string | undefined, namespace: string): string | undefined {
  return ui && `${ui.replace(/\/+$/, '')}/namespaces/${namespace}/workflows`;
}

/**
 * The page of a workflow in the Temporal Web UI that shows what a person has to do, and not the one that the Web UI opens by itself;
 * undefined when its address is unknown.
 */
export function workflowPage(
  ui: string | undefined,
  namespace: string,
  { workflowId, runId }: { readonly workflowId: string; readonly runId: string },
): string | undefined {
  const list = workflowsPage(ui, namespace);
  return list && `${list}/${encodeURIComponent(workflowId)}/${runId}/user-metadata`;
}
