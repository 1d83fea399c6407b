import { setTimeout as sleep } from 'node:timers/promises';
import { MerchantBrowser } from '../../../src/apps/demo/merchant-browser.js';
import { merchantActor } from '../../../src/messages/links.js';
import { queryState } from '../../../src/temporal/find-onboarding.js';
import type { Markers } from '../privacy/markers.js';
import { insist, TIMEOUT_MS } from '../waiting.js';
import { CLERK_TOKEN, type Stage } from './stage.js';

type Kind = 'text' | 'document';

interface Link {
  readonly link: string;
  readonly url?: string;
}

const RECEIVED = 'Received, thank you';
/** What a merchant reads once the answer is confirmed, or the partner has moved on. */
const ENDS = ['This question is answered', 'This question is closed'];

const PAUSE_MS = 500;

/**
 * Merchants who answer through the page while everything fails, as people do: they read it, and send again what it does not show. A
 * clerk asks them, and confirms what they send.
 */
export class Merchants {
  /** What a merchant read that was not true, and answers that were lost or doubled. */
  readonly surprises = new Set<string>();
  readonly tokens: string[] = [];
  readonly figures = { asked: 0, sentBack: 0, answered: 0, visits: 0, failed: 0 };
  readonly #conversations: Promise<void>[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly marked: Markers,
  ) {}

  /** Lets every second merchant answer by itself. @returns whether this one does */
  answer(workflowId: string, requirementId: string, kind: Kind): boolean {
    this.figures.asked += 1;
    if (this.figures.asked % 2 === 0) return false;
    const isSentBack = this.figures.asked % 4 === 1;
    const conversation = this.#converse(workflowId, requirementId, kind, isSentBack).catch(
      (error: unknown) => {
        this.surprises.add(`${workflowId}: the merchant could not answer ${requirementId}: ${error}`);
      },
    );
    this.#conversations.push(conversation);
    return true;
  }

  /** Waits until each merchant has read the end. */
  async settled(): Promise<void> {
    await Promise.all(this.#conversations);
  }

  async #converse(workflowId: string, id: string, kind: Kind, isSentBack: boolean): Promise<void> {
    const wants = kind === 'text' ? { kind } : { kind: 'documents', names: ['Voided check'] };
    const path = `/v1/requirements/${workflowId}/${id}`;
    const newLink = await this.#clerk<Link>(`${path}/ask`, { text: 'Please answer.', wants });
    // The partner has moved on.
    if (newLink?.url === undefined) return;
    this.tokens.push(newLink.url.split('/').at(-1) ?? '');
    const browser = new MerchantBrowser(newLink.url);
    const complain = (what: string) => this.surprises.add(`${workflowId}: ${id}: ${what}`);
    let read = await this.#untilReceived(browser, kind, id);
    let most = 1;
    if (read === RECEIVED && isSentBack) {
      most = 2;
      await this.#sendBack(workflowId, id, path, newLink);
      read = await this.#untilReceived(browser, kind, id);
    }
    if (read === RECEIVED && !(await this.#confirm(workflowId, id, path, newLink)))
      complain('the merchant read that the answer arrived, and none is proposed');
    const last = await this.#untilReads(() => browser.read());
    if (!ENDS.includes(last)) complain(`after the end, the merchant reads: ${last}`);
    if (read !== RECEIVED) return;
    this.figures.answered += 1;
    const { timeline } = await insist(() => queryState(this.stage.rig.client, workflowId));
    const proposed = timeline.filter(
      ({ event, actor }) => event === 'answer-proposed' && actor === merchantActor(newLink.link),
    );
    if (proposed.length < 1 || proposed.length > most)
      complain(`one answer was proposed ${proposed.length} times, at most ${most}`);
  }

  /** Answers until the page says that the answer arrived, or that the link takes none. @returns what it says */
  #untilReceived(browser: MerchantBrowser, kind: Kind, id: string): Promise<string> {
    return this.#untilReads(async () => {
      const first = await browser.read();
      if (first.heading === RECEIVED || ENDS.includes(first.heading)) return first;
      const form = await browser.send('begin');
      if (kind === 'text') return browser.send('propose', { text: this.marked.noteAnswer });
      const content = Buffer.from(`%PDF-1.4\n${this.marked.noteAnswer}\n%%EOF\n`);
      const page = form.documents.length > 0 ? form : await browser.upload(`${id}.pdf`, content);
      const [document] = page.documents;
      return document === undefined ? page : browser.send('propose', { document });
    });
  }

  /** Visits the page until it says that an answer arrived, or how the link ended. */
  async #untilReads(visit: () => Promise<{ readonly heading: string }>): Promise<string> {
    let heading = 'nothing';
    for (const until = Date.now() + TIMEOUT_MS; Date.now() < until; await sleep(PAUSE_MS)) {
      this.figures.visits += 1;
      try {
        ({ heading } = await visit());
        if (heading === RECEIVED || ENDS.includes(heading)) return heading;
      } catch (error) {
        // The page is killed, too.
        heading = String(error);
      }
      this.figures.failed += 1;
    }
    return heading;
  }

  /** Sends the answer back, unless somebody has acted meanwhile. The merchant then answers again. */
  async #sendBack(workflowId: string, id: string, path: string, { link }: Link): Promise<void> {
    const { requirements } = await insist(() => queryState(this.stage.rig.client, workflowId));
    const proposal = requirements.find((each) => each.id === id)?.proposal;
    if (proposal?.actor !== merchantActor(link)) return;
    this.figures.sentBack += 1;
    await this.#clerk(`${path}/send-back`, { proposedAt: proposal.at, text: 'Please say more.' });
  }

  /** Confirms what the merchant sent. @returns false if the requirement is open, and the merchant has sent nothing */
  async #confirm(workflowId: string, id: string, path: string, { link }: Link): Promise<boolean> {
    const { requirements } = await insist(() => queryState(this.stage.rig.client, workflowId));
    const requirement = requirements.find((each) => each.id === id);
    if (!requirement) return true;
    const { proposal } = requirement;
    if (proposal?.actor !== merchantActor(link)) return false;
    await this.#clerk(`${path}/confirm`, { proposedAt: proposal.at });
    return true;
  }

  /** Sends a request of the clerk until it is accepted or refused for good. @returns undefined when it is refused */
  #clerk<Reply>(path: string, body: object): Promise<Reply | undefined> {
    return insist(async () => {
      const response = await fetch(`${this.stage.receiverUrls[1]}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${CLERK_TOKEN}` },
        body: JSON.stringify({ ...body, person: 'Ada Park' }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (response.status >= 500 || response.status === 429) throw new Error(`${path}: ${response.status}`);
      if (response.ok) return (await response.json()) as Reply;
      const problem = await response.text();
      if (![404, 409].includes(response.status)) this.surprises.add(`${path} is refused: ${problem}`);
      return undefined;
    });
  }
}
