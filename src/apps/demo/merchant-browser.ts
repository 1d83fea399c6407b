/** A browser without scripts, in which a merchant opens a link and sends the forms of its page. */

/** A page as the merchant reads it. */
export interface Page {
  /** The heading, such as `Received, thank you`. */
  readonly heading: string;
  /** The numbers of the documents that have arrived. */
  readonly documents: readonly string[];
}

/** Longer than the page waits for the API. */
const TIMEOUT_MS = 30_000;

export class MerchantBrowser {
  /** @param url the link's address */
  constructor(private readonly url: string) {}

  /** Opens the link, which changes nothing. */
  read(): Promise<Page> {
    return this.#fetch('', {});
  }

  /** Sends a form. */
  send(action: string, fields: Readonly<Record<string, string>> = {}): Promise<Page> {
    return this.#fetch(`/${action}`, { method: 'POST', body: new URLSearchParams(fields) });
  }

  upload(fileName: string, content: Uint8Array<ArrayBuffer>): Promise<Page> {
    const body = new FormData();
    body.append('file', new Blob([content]), fileName);
    return this.#fetch('/documents', { method: 'POST', body });
  }

  async #fetch(path: string, init: RequestInit): Promise<Page> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(this.url + path, { ...init, signal });
    const html = await response.text();
    const [, heading = ''] = /<h1>([^<]*)/.exec(html) ?? [];
    const documents = [...html.matchAll(/name="document" value="(\d+)"/g)].map(([, id = '']) => id);
    return { heading, documents };
  }
}
