import { describe, expect, it } from 'vitest';
import { SerialSender } from '../../../src/workflows/runtime/customer-reports.js';

/** A sender whose messages are recorded. A message arrives when the test calls `arrive`. */
function recording() {
  const due: number[] = [];
  const sent: (readonly number[])[] = [];
  let arrive: (error?: Error) => void = () => {};
  const failures: unknown[] = [];
  const sender = new SerialSender(
    () => {
      sent.push(due.splice(0));
      return new Promise<void>((resolve, reject) => {
        arrive = (error) => (error ? reject(error) : resolve());
      });
    },
    (error) => failures.push(error),
  );
  const send = (message: number) => {
    due.push(message);
    sender.wake();
  };
  return { sent, failures, send, arrive: (error?: Error) => arrive(error) };
}

async function microtasks(count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) await undefined;
}

describe('a serial sender', () => {
  it('sends one message at a time, with everything that became due meanwhile', async () => {
    const { sent, send, arrive } = recording();
    send(1);
    send(2);
    send(3);
    expect(sent).toEqual([[1]]);
    arrive();
    await microtasks(5);
    expect(sent).toEqual([[1], [2, 3]]);
  });

  it.each([...Array(12).keys()])(
    'loses no message that becomes due %i microtasks after one arrived',
    async (moment) => {
      const { sent, send, arrive } = recording();
      send(1);
      arrive();
      await microtasks(moment);
      send(2);
      await microtasks(12);
      expect(sent).toEqual([[1], [2]]);
    },
  );

  it('reports a failure, and sends what becomes due later', async () => {
    const { sent, failures, send, arrive } = recording();
    send(1);
    arrive(new Error('gone'));
    await microtasks(12);
    expect(failures).toEqual([new Error('gone')]);
    send(2);
    expect(sent).toEqual([[1], [2]]);
  });
});
