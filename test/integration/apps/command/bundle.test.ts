import { readFile, stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { gangway } from '../../../rigs/command.js';
import { inputFile } from '../../../rigs/commands/files.js';
import { SECRET } from '../../../rigs/events/subscriber.js';
import { customer, merchant } from '../../../rigs/inputs.js';
import { sharedRig } from '../../../rigs/shared-rig.js';

const rig = await sharedRig();

async function bundled(workflowId: string, settings: Readonly<Record<string, string>> = {}) {
  const file = await inputFile(rig, '');
  const args = ['bundle', workflowId, '--output', file];
  const { code, stdout, stderr } = await gangway({ ...rig.env, ...settings }, args);
  expect(code, stderr).toBe(0);
  expect(stdout).toBe(`saved ${workflowId} to ${file}: read it before you send it\n`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const text = await readFile(file, 'utf8');
  return { text, ...JSON.parse(text) };
}

describe('gangway bundle', () => {
  it('has what happened, when and how large it was, and no text of anybody', async () => {
    const boarding = await rig.board(merchant(undefined, { agentProfileId: 999 }));
    await boarding.requirement('rejected-input');
    await rig.client.workflow.getHandle(boarding.workflowId).signal('of Ada Baker 123');
    const { text, workflows, about } = await bundled(boarding.workflowId);
    const [{ workflowId, status, state, runs }] = workflows;
    expect({ workflowId, status }).toEqual({ workflowId: boarding.workflowId, status: 'RUNNING' });

    const { events } = runs[0];
    expect(events[0]).toMatchObject({
      eventId: 1,
      eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_STARTED',
      eventTime: expect.stringMatching(/^20\d\d-\d\d-\d\dT[\d:.]+Z$/),
      workflowExecutionStartedEventAttributes: {
        workflowType: { name: 'merchantBoarding' },
        workflowTaskTimeout: 10,
        input: { payloads: [expect.stringMatching(/^\[\d{3,4}\]$/)] },
      },
    });
    const failed = events.find(
      ({ eventType }: { eventType: string }) => eventType === 'EVENT_TYPE_ACTIVITY_TASK_FAILED',
    );
    expect(failed.activityTaskFailedEventAttributes.failure).toMatchObject({
      message: '[15]',
      applicationFailureInfo: { type: 'PartnerError', nonRetryable: true },
    });

    expect(state).toMatchObject({ stage: 'preparing', partnerStatus: null });
    const length = expect.stringMatching(/^\[\d+\]$/);
    expect(state.requirements).toMatchObject([{ kind: 'rejected-input', title: length, detail: length }]);
    expect(state.timeline[0]).toEqual({ at: expect.any(String), event: 'started' });
    expect(text).not.toContain('Corner Bakery');
    expect(text).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED');
    expect(text).not.toContain('Ada Baker');

    expect(about).toContain('A replay needs the payloads');
  });

  it('covers the parts of a customer, doctor’s findings, and settings without secrets', async () => {
    const onboarding = await rig.onboard(customer());
    await onboarding.outcome();
    const { text, workflows, doctor, settings, metrics, versions } = await bundled(onboarding.workflowId, {
      GANGWAY_POLL_MAX: '17s',
      BANKING_PASSWORD: 'wrong',
      EVENTS_URLS: 'https://example.com/key',
      EVENTS_SECRETS: SECRET,
      PAYMENTS_APIKEY: 'misspelled',
      STATEMENT_DIR: '/nowhere/ada@example.com',
    });
    const types = workflows.map(({ type }: { type: string }) => type);
    expect(types).toEqual(['customerOnboarding', 'merchantBoarding', 'businessOnboarding']);
    expect(doctor).toContainEqual({ check: 'search attributes', state: 'ok', detail: 'all registered' });
    expect(doctor).toContainEqual(expect.objectContaining({ check: 'banking partner', state: 'wrong' }));
    expect(settings).toMatchObject({
      GANGWAY_POLL_MAX: '17s',
      GANGWAY_TASK_QUEUE: rig.taskQueue,
      BANKING_PASSWORD: 'set',
      BANKING_USERNAME: 'set',
      BANKING_URL: 'set',
      EVENTS_URLS: 'set',
      PAYLOAD_KEYS: 'set',
      DOCUMENT_DIR: 'set',
    });
    expect(settings).not.toHaveProperty('PAYMENTS_APIKEY');
    expect(doctor).toContainEqual(expect.objectContaining({ check: 'statement store', state: 'warn' }));
    expect(text).not.toContain('ada@example.com');
    expect(metrics).toBe('GANGWAY_METRICS_ADDRESS is not set');
    expect(versions).toMatchObject({ gangway: '0.1.0', node: process.version });
  });
});
