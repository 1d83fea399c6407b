const CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refused the connection',
  ENOTFOUND: 'its name is unknown',
  EAI_AGAIN: 'its name cannot be looked up now',
  ECONNRESET: 'the connection broke before the response',
  UND_ERR_SOCKET: 'the connection broke before the response',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no response in time',
  UND_ERR_BODY_TIMEOUT: 'the response stopped arriving',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'the response is too large',
};

/**
 * The `reason` of a partner error for people: `the connection broke before the response (UND_ERR_SOCKET)`. What precedes the code
 * stays: `issue-token: no response in time (UND_ERR_HEADERS_TIMEOUT)`.
 */
export function reasonInWords(reason: string): string {
  const [, before = '', code = ''] = /^(.*: )?(.*)$/s.exec(reason) ?? [];
  const words = Object.hasOwn(CODES, code) ? CODES[code] : undefined;
  return words === undefined ? reason : `${before}${words} (${code})`;
}
