import { afterAll, expect, it } from 'vitest';
import { destinationOf } from '../../../../src/platform/events/sender.js';
import { gangway as runGangway } from '../../../rigs/command.js';
import { SECRET, subscriber } from '../../../rigs/events/subscriber.js';
import { merchant } from '../../../rigs/inputs.js';
import type { Onboarding } from '../../../rigs/onboarding.js';
import { jsonLines } from '../../../rigs/processes.js';
import { createRig } from '../../../rigs/rig.js';
import { eventually } from '../../../rigs/waiting.js';

const crm = await subscriber(SECRET, afterAll);
const events = { secrets: [SECRET], toLoopback: true, destinations: [destinationOf(crm.url)] };
// "gangway events list" lists those of the whole namespace.
const rig = await createRig({ accounts: ['acme'], events, ownNamespace: true });
afterAll(() => rig.close());

const gangway = (...args: readonly string[]) => runGangway({ ...rig.env, GANGWAY_ACCOUNTS: 'acme' }, args);

it('an externalId in two accounts has its events sent again for one account only', async () => {
  const input = merchant('notes');
  const { externalId } = input;
  const nameless = await rig.board(input);
  const acmes = await rig.board({ ...input, account: 'acme' });
  const list = async (...args: readonly string[]) =>
    jsonLines<{ event: { subject: string } }>(await gangway('events', 'list', ...args, '--json')).map(
      ({ event }) => event.subject,
    );
  const of = ({ workflowId }: Onboarding) => Array.from({ length: 5 }, () => workflowId);
  await eventually(
    () => list(externalId),
    (subjects) => subjects.length === 10,
    'the events of both',
  );
  expect(await list(externalId, '--partner-account', 'acme')).toEqual(of(acmes));
  expect(await list(nameless.workflowId)).toEqual(of(nameless));
  const all = await list('--partner-account', 'acme');
  expect(all).toEqual(expect.arrayContaining(of(acmes)));
  expect(all.filter((subject) => !subject.endsWith('@acme'))).toEqual([]);
  const refused = await gangway('events', 'redeliver', externalId, '--all');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^"m-.*" may mean .*: give --partner-account, or the whole workflow id\n$/);
  const sent = await gangway('events', 'redeliver', `${externalId}@acme`, '--all');
  expect(sent.stdout).toContain('sending 5 again');
  expect(sent.stdout).not.toContain(`${nameless.workflowId} `);
  await Promise.all([nameless, acmes].map(({ handle }) => handle.terminate()));
});
