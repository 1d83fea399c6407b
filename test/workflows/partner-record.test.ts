import { expect, it, onTestFinished } from 'vitest';
import { partnerRecordId } from '../../src/messages/ids.js';
import { queryPartnerRecord, reportStatus } from '../../src/temporal/partner-accounts.js';
import { Onboarding } from '../rigs/onboarding.js';
import { createRig } from '../rigs/rig.js';
import { eventually } from '../rigs/waiting.js';

it('the next run of a record shows the decisions and the open questions of the one before, without another event', async () => {
  const rig = await createRig({ continueAfter: 30 });
  onTestFinished(() => rig.close());
  const { client, taskQueue } = rig;
  const place = { fourEyes: [], system: 'boarding', account: undefined, taskQueue } as const;
  const record = new Onboarding(client, partnerRecordId('boarding', taskQueue));
  await reportStatus(client, place, 'On Hold');
  const { id } = await record.requirement('new-status');
  await record.resolve(id, { kind: 'choice', choice: 'ended-closed' });
  const decided = async () => (await queryPartnerRecord(client, place))?.statuses[0]?.decision?.meaning;
  await eventually(decided, (meaning) => meaning === 'ended-closed', 'the decision');
  let open = 0;
  await record.changedUntilNextRun(async (question) => {
    await reportStatus(client, place, `Status ${question}`);
    await record.until(({ requirements }) => requirements.length === question, `${question} questions`);
    open = question;
  });
  expect((await record.state()).requirements).toHaveLength(open);
  await eventually(decided, (meaning) => meaning === 'ended-closed', 'the decision in the next run');
  // Until its first task, people and activities read what it began with.
  const [start] = (await record.handle.fetchHistory()).events ?? [];
  expect(start?.workflowExecutionStartedEventAttributes?.memo?.fields).toHaveProperty('record');
});
