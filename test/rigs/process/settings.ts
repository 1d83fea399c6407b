import { inject } from 'vitest';
import { KEY } from '../codec-server/running-codec-server.js';
import { TOKEN } from '../receiver/running-receiver.js';

export type Settings = Readonly<Record<string, string>>;

/** A partner, and credentials for it. */
const ADA = { BOARDING_URL: 'http://127.0.0.1:9', BOARDING_USERNAME: 'ada', BOARDING_PASSWORD: 'of-ada' };

/** What a process of this name has besides its own settings. */
const COMMON: Readonly<Record<string, Settings>> = {
  receiver: { RECEIVER_ADDRESS: '127.0.0.1:0' },
  console: { CONSOLE_ADDRESS: '127.0.0.1:0' },
  'codec-server': { CODEC_ADDRESS: '127.0.0.1:0', CODEC_TOKENS: TOKEN },
  link: {
    LINK_ADDRESS: '127.0.0.1:0',
    LINK_URL: 'http://localhost',
    LINK_API_URL: 'http://127.0.0.1:9',
    LINK_API_TOKEN: TOKEN,
    LINK_COMPANY: 'Acme Payments',
  },
  worker: { ...ADA, GANGWAY_HEALTH_ADDRESS: '127.0.0.1:0' },
  starter: ADA,
};

/** Settings with which a process starts, at any free port and without workers. */
export const settingsOf = (name: string, more: Settings) => ({
  PAYLOAD_KEYS: `k1:${KEY}`,
  TEMPORAL_ADDRESS: inject('temporalAddress'),
  GANGWAY_TASK_QUEUE: 'without-workers',
  ...COMMON[name],
  ...more,
});

/** Anyone could pose as the server of a connection. */
export const ANYONE = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };

/** The same with a partner on another machine. */
export const PARTNER = { ...ANYONE, BOARDING_URL: 'https://boarding.example.com' };

/** What a process says to that. */
export const SOMEBODY = /^NODE_TLS_REJECT_UNAUTHORIZED: is 0, so anyone could pose as the server of/;

/** Temporal on another machine, and no key for what is sent there. */
export const ELSEWHERE = { PAYLOAD_KEYS: '', TEMPORAL_ADDRESS: 'temporal.example.com:7233' };
