import { afterAll, beforeAll, expect, it } from 'vitest';
import { PYTHON_PACKAGES_TIMEOUT_MS } from '../../../rigs/python-packages.js';
import { runReceiver, TOKEN } from '../../../rigs/receiver/running-receiver.js';
import { attack } from '../../../rigs/receiver/schemathesis.js';
import { createRig, type Rig } from '../../../rigs/rig.js';

/** `SCHEMATHESIS_SECONDS=600` looks further. */
const SECONDS = Number(process.env['SCHEMATHESIS_SECONDS'] ?? 5);

let rig: Rig;
beforeAll(async () => {
  // A server of its own, because much of what is started here never ends.
  rig = await createRig({ server: {} });
});
afterAll(() => rig.close());

it.each<[string, { secrets?: string[] }, string[]]>([
  ['with a token, and events unsigned', { secrets: [] }, ['-H', `Authorization: Bearer ${TOKEN}`]],
  ['without a token, and with wrong signatures', {}, []],
])(
  `the receiver conforms to its OpenAPI document for ${SECONDS} s of valid and invalid requests, %s`,
  async (_, options, args) => {
    const { url, log } = await runReceiver(rig, { requestsPerMinute: 9_999_999, ...options });
    // A thousand cases on a machine that has nothing else to do. On a busy one, the time may be over before the first.
    for (let [seconds, cases] = [SECONDS, 0]; cases === 0; seconds *= 2) {
      const attacked = await attack(url, seconds, args);
      expect(attacked.found).toBe('');
      cases = attacked.cases;
    }
    expect(log()).not.toContain('The receiver has an internal error');
  },
  PYTHON_PACKAGES_TIMEOUT_MS + SECONDS * 4_000,
);
