/** The maximum length of a proposed external ID, in characters. */
const LONGEST_PROPOSAL = 60;

/** The external ID that a form proposes for a name: `Ada’s Café` becomes `ada-s-cafe`. Also runs in the browser. */
export function proposedId(name: string): string {
  const plain = name.slice(0, 200).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = plain.split(/[^a-z0-9]+/).filter(Boolean);
  return words.join('-').slice(0, LONGEST_PROPOSAL);
}
