/** The parts of HAR 1.2 that a recording has: http://www.softwareishard.com/blog/har-12-spec/ */

interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** A body that is a file has neither text nor value. Its comment has the length and a keyed hash. */
export interface HarPart {
  readonly name: string;
  readonly value?: string;
  readonly fileName?: string;
  readonly contentType?: string;
  readonly comment?: string;
}

export interface HarEntry {
  /** ISO 8601. */
  readonly startedDateTime: string;
  /** Milliseconds. */
  readonly time: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly httpVersion: string;
    readonly cookies: readonly [];
    readonly headers: readonly NamedValue[];
    readonly queryString: readonly NamedValue[];
    readonly postData?: { readonly mimeType: string } & (
      | { readonly text: string }
      | { readonly params: readonly HarPart[] }
    );
    readonly headersSize: -1;
    readonly bodySize: number;
  };
  readonly response: {
    /** 0 without a response. */
    readonly status: number;
    readonly statusText: string;
    readonly httpVersion: string;
    readonly cookies: readonly [];
    readonly headers: readonly NamedValue[];
    readonly content: {
      readonly size: number;
      readonly mimeType: string;
      readonly text?: string;
      readonly comment?: string;
    };
    readonly redirectURL: '';
    readonly headersSize: -1;
    readonly bodySize: number;
    /** The reason why there is no response: `ECONNREFUSED`. */
    readonly _error?: string;
    /** False if it is certain that no byte of the request left. */
    readonly _sent?: boolean;
  };
  readonly cache: Record<string, never>;
  readonly timings: { readonly send: number; readonly wait: number; readonly receive: number };
  /** The operation: `boarding create-merchant`. */
  readonly comment: string;
}

/** A HAR file. The version of its creator is that of the rules by which a recording is made. */
export function harOf(entry: HarEntry): object {
  return { log: { version: '1.2', creator: { name: 'gangway', version: '1' }, entries: [entry] } };
}
