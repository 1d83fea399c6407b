import { createHash } from 'node:crypto';

/**
 * The `event_id` of one step of a workflow: the platform takes a call with an `event_id` that it has seen as the same
 * call. The same workflow and step always give the same one, on whichever worker, so a step may be repeated.
 *
 * A UUID of version 8 (RFC 9562): the first 128 bits of the SHA-256 of the JSON `["<workflowId>","<step>"]`, version
 * and variant set. It does not reveal the workflow id, which holds the caller's own key.
 *
 * @param step the name of the step, unique among the payment steps of the workflow: `capture`, `refund-2`
 */
export function eventIdOf(workflowId: string, step: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([workflowId, step]))
    .digest();
  hash.writeUInt8(0x80 | (hash.readUInt8(6) & 0x0f), 6);
  hash.writeUInt8(0x80 | (hash.readUInt8(8) & 0x3f), 8);
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
