import { beforeEach, describe, expect, it, vi } from 'vitest';
import { confirmAnswer, proposeAnswer, proposedAnswer } from '../../../src/messages/claims.js';
import {
  actOnLink,
  askMerchant,
  linkQuery,
  merchantActor,
  returnToMerchant,
  revokeLink,
} from '../../../src/messages/links.js';
import { rejection } from '../../../src/messages/rejections.js';
import type { FourEyes, Resolution } from '../../../src/messages/requirements.js';
import { Claims } from '../../../src/workflows/runtime/claims.js';
import { Links } from '../../../src/workflows/runtime/links.js';
import {
  answeredRequirements,
  openRequirements,
  openWithClaims,
  raiseRequirement,
  unsentIds,
  withdrawRequirement,
} from '../../../src/workflows/runtime/requirements.js';
import { problemWith } from '../../../src/workflows/runtime/resolutions.js';
import type { Question } from '../../../src/workflows/runtime/state.js';
import { stoppedAt } from '../../rigs/clock.js';
import { cellOf } from './stores.js';

const NOON = '2026-01-31T12:00:00.000Z';
const ONE = '2026-01-31T13:00:00.000Z';
const LINK = 'L-aaaaaaaaaaaaaaaa';
const HASH = 'a'.repeat(64);
const HOLDER = { requirementId: 'note-1', link: LINK, tokenHash: HASH, language: 'es' };
const [OLGA, PETE] = ['Olga Ruiz (olga)', 'Pete Lin (pete)'];

beforeEach(() => stoppedAt(NOON));

/** The link of a note, over the claims of the same note. Updates run as in the SDK. */
function askedNote(fourEyes: FourEyes = [], unfit: readonly string[] = []) {
  const { store } = cellOf({ fourEyes });
  store.update(
    raiseRequirement({
      about: 'note-1',
      kind: 'underwriting-note',
      title: 'A note',
      detail: 'Send a check.',
      answers: ['text', 'correction'],
    } as Question),
  );
  const answers = {
    problemWith: (resolution: Resolution, isProposal: boolean) =>
      problemWith(
        resolution,
        { open: openRequirements(store.state), unsent: unsentIds(store.state), isProposal },
        ['holder'],
      ),
    check: async (_: Resolution, concerns: (field: string) => boolean = () => true) => {
      const broken = unfit.filter(concerns);
      if (broken.length > 0)
        throw rejection(broken.map((field) => `answer.patch.${field}: wrong`).join('\n'));
    },
  };
  const registered = new Map<string, (request: never) => unknown>();
  type Options = { readonly validator?: (request: never) => void };
  const register = ({ name }: { name: string }, run: (request: never) => unknown, options: Options) =>
    registered.set(name, (request: never) => {
      options.validator?.(request);
      return run(request);
    });
  const published = { refresh: () => {}, report: () => {}, current: {} } as never;
  for (const each of [new Links(published, store, answers), new Claims(published, store, answers)])
    each.handle(register as never);
  const send = async ({ name }: { readonly name: string }, request: unknown) =>
    registered.get(name)?.(request as never);
  const proposedAt = async () => ((await send(proposedAnswer, 'note-1')) as { at: string }).at;
  return {
    store,
    ask: (more: object = {}) =>
      send(askMerchant, {
        requirementId: 'note-1',
        actor: OLGA,
        link: LINK,
        tokenHash: HASH,
        until: ONE,
        text: 'How do you take cards?',
        wants: { kind: 'text' },
        language: 'es',
        ...more,
      }),
    act: (action: object) => send(actOnLink, { ...HOLDER, action }),
    answer: () =>
      send(actOnLink, { ...HOLDER, action: { kind: 'answer', answer: { kind: 'text', text: 'Here.' } } }),
    tell: (text: string) =>
      send(actOnLink, { ...HOLDER, action: { kind: 'answer', answer: { kind: 'text', text } } }),
    fill: (values: object) =>
      send(actOnLink, { ...HOLDER, action: { kind: 'answer', answer: { kind: 'fields', values } } }),
    propose: () =>
      send(proposeAnswer, {
        requirementId: 'note-1',
        actor: PETE,
        reason: 'He called.',
        answer: { kind: 'text', text: 'By phone.' },
      }),
    view: () => send(linkQuery, HOLDER),
    revoke: () => send(revokeLink, { requirementId: 'note-1', actor: OLGA }),
    confirm: async (actor: string) =>
      send(confirmAnswer, { requirementId: 'note-1', actor, proposedAt: await proposedAt() }),
    sendBack: async () => {
      const sent = { requirementId: 'note-1', actor: OLGA, text: 'Which?' };
      return send(returnToMerchant, { ...sent, proposedAt: await proposedAt() });
    },
    first: () => openWithClaims(store.state)[0],
  };
}

describe('whoever made a link', () => {
  // Alone catches one person who asks, answers as the merchant, and confirms.
  it.each([OLGA, 'olga ruiz', `crm (API), for ${OLGA}`])(
    'does not confirm as %s what came through it, where two people must agree',
    async (actor) => {
      const { ask, answer, revoke, store, ...note } = askedNote(['underwriting-note']);
      await ask();
      await answer();
      const refused = 'actor: must not be the person who asked the merchant';
      await expect(note.confirm(actor)).rejects.toThrow(refused);
      // Nor after the link has ended.
      await revoke();
      await expect(note.confirm(actor)).rejects.toThrow(refused);
      await note.confirm(PETE);
      const [answered] = answeredRequirements(store.state);
      expect(answered?.resolution).toEqual({
        requirementId: 'note-1',
        answer: { kind: 'text', text: 'Here.' },
        actor: merchantActor(LINK),
        reason: `answered through the link; confirmed by ${PETE}`,
      });
    },
  );

  it('confirms it where they could answer alone', async () => {
    const { ask, answer, confirm } = askedNote();
    await ask();
    await answer();
    expect(await confirm(OLGA)).toMatchObject({ requirementId: 'note-1' });
  });
});

describe('a link', () => {
  // Alone catches an answer that is lost: its merchant could not send another one.
  it('gets no answer back after its end', async () => {
    const { ask, answer, sendBack, first } = askedNote();
    await ask();
    await answer();
    vi.setSystemTime(new Date(ONE));
    await expect(sendBack()).rejects.toThrow('the link has ended; withdraw the answer');
    expect(first()?.proposal?.actor).toBe(merchantActor(LINK));
  });

  it('is not locked by codes where it needs none', async () => {
    const { ask, act, view, store } = askedNote();
    await ask();
    const before = store.state;
    for (let attempt = 0; attempt < 6; attempt++)
      await expect(act({ kind: 'enter', codeHash: HASH, session: HASH })).rejects.toThrow(
        'code: the link needs none',
      );
    expect(store.state).toBe(before);
    expect(await view()).toMatchObject({ state: 'open' });
  });

  // Alone catches a deadline that loses its zone on its way to the page, and a zone that fills the history.
  it('has the zone of whoever asked', async () => {
    const { ask, view } = askedNote();
    await expect(ask({ zone: 'Z'.repeat(65) })).rejects.toThrow('zone: must be a time zone');
    await ask({ zone: 'America/Chicago' });
    expect(await view()).toMatchObject({ state: 'open', zone: 'America/Chicago' });
  });

  // Alone catches somebody with the link and the code who fills the history.
  it('takes the right code a hundred times', async () => {
    const { ask, act, view } = askedNote();
    await ask({ codeHash: HASH });
    for (let time = 0; time < 100; time++) await act({ kind: 'enter', codeHash: HASH, session: `s${time}` });
    expect(await view()).toEqual({ state: 'closed', language: 'es', why: 'locked' });
    await expect(act({ kind: 'enter', codeHash: HASH, session: 's' })).rejects.toThrow('it is closed');
  });

  // Alone catches an answer that counts twice because its response was lost.
  it('takes the same answer once, and another one as a revision', async () => {
    const { ask, answer, tell, view, store } = askedNote();
    await ask();
    await answer();
    const before = store.state;
    await answer();
    expect(store.state).toBe(before);
    await tell('There.');
    expect(await view()).toMatchObject({ revision: 2, answer: { text: 'There.' } });
  });

  // Alone catches the rules of fields that a merchant was not asked for.
  it('tells what is wrong with the fields that it asks for, and leaves others to the clerk', async () => {
    const fields = [{ name: 'holder.website', label: 'Website' }];
    const wrong = askedNote([], ['holder.website.host', 'holder.ein']);
    await wrong.ask({ wants: { kind: 'fields', fields } });
    await expect(wrong.fill({ 'holder.website': 'x' })).rejects.toThrow(
      /^answer\.patch\.holder\.website\.host: wrong$/,
    );
    const other = askedNote([], ['holder.ein', 'holder.websites']);
    await other.ask({ wants: { kind: 'fields', fields } });
    expect(await other.fill({ 'holder.website': 'x' })).toMatchObject({ state: 'received' });
    await expect(other.confirm(PETE)).rejects.toThrow('answer.patch.holder.ein: wrong');
  });

  // Alone catches a merchant who reads that all is answered while it is not.
  it('says the truth: a colleague proposes, the answer is in but late, and the partner no longer asks', async () => {
    const closed = (why: string) => ({ state: 'closed', language: 'es', why });
    const { ask, propose, view } = askedNote();
    await ask();
    await propose();
    expect(await view()).toEqual(closed('handled'));
    const late = askedNote();
    await late.ask();
    await late.answer();
    vi.setSystemTime(new Date(ONE));
    expect(await late.view()).toEqual(closed('received'));
    await late.revoke();
    expect(await late.view()).toEqual(closed('received'));
    late.store.update(withdrawRequirement('note-1', 'the partner declined'));
    expect(await late.view()).toEqual(closed('over'));
  });

  it('says in its own language that it is answered', async () => {
    const { ask, answer, confirm, view } = askedNote();
    await ask();
    await answer();
    await confirm(PETE);
    expect(await view()).toEqual({ state: 'closed', language: 'es', why: 'answered' });
  });
});
