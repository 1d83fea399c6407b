import { beforeEach, describe, expect, it, vi } from 'vitest';
import { confirmAnswer, proposedAnswer } from '../../../src/messages/claims.js';
import {
  actOnLink,
  askMerchant,
  linkQuery,
  merchantActor,
  returnToMerchant,
  revokeLink,
} from '../../../src/messages/links.js';
import type { FourEyes, Resolution } from '../../../src/messages/requirements.js';
import { Claims } from '../../../src/workflows/runtime/claims.js';
import { Links } from '../../../src/workflows/runtime/links.js';
import {
  answeredRequirements,
  openRequirements,
  openWithClaims,
  raiseRequirement,
  unsentIds,
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
function askedNote(fourEyes: FourEyes = []) {
  const { store } = cellOf({ fourEyes });
  store.update(
    raiseRequirement({
      ...{ about: 'note-1', kind: 'underwriting-note', title: 'A note', detail: 'Send a check.' },
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
    check: async () => {},
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
        ...{ requirementId: 'note-1', actor: OLGA, link: LINK, tokenHash: HASH, until: ONE },
        ...{ text: 'How do you take cards?', wants: { kind: 'text' }, language: 'es' },
        ...more,
      }),
    act: (action: object) => send(actOnLink, { ...HOLDER, action }),
    answer: () =>
      send(actOnLink, { ...HOLDER, action: { kind: 'answer', answer: { kind: 'text', text: 'Here.' } } }),
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
        ...{ requirementId: 'note-1', answer: { kind: 'text', text: 'Here.' }, actor: merchantActor(LINK) },
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

  it('never asks for a field that no answer may change', async () => {
    const { ask, first } = askedNote();
    const wants = (name: string) => ({ wants: { kind: 'fields', fields: [{ name, label: 'A field' }] } });
    for (const name of ['externalId', 'constructor', 'toString.call'])
      await expect(ask(wants(name))).rejects.toThrow('wants.fields: takes one or more of holder');
    expect(first()?.link).toBeUndefined();
    await ask(wants('holder.website'));
    expect(first()?.link?.link).toBe(LINK);
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

  it('says in its own language that it is answered', async () => {
    const { ask, answer, confirm, view } = askedNote();
    await ask();
    await answer();
    await confirm(PETE);
    expect(await view()).toEqual({ state: 'closed', language: 'es', why: 'answered' });
  });
});
