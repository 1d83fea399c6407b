import type { Opened } from './client.js';

/** An answer without the problems whose words repeat a secret, as what refuses credentials may do. */
export function withoutSecrets(
  opened: Opened | undefined,
  isToldIn: (text: string) => boolean,
): Opened | undefined {
  const fields = opened?.fields.map(({ field, message }) =>
    isToldIn(field + message) ? { field: '', message: 'withheld: it repeats a secret' } : { field, message },
  );
  return opened && { ...opened, fields: fields ?? [] };
}
