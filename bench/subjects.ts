import type { Subject } from './bench.js';
import { actions } from './subjects/actions.js';
import { calls } from './subjects/calls.js';
import { catalogue } from './subjects/catalogue.js';
import { cluster } from './subjects/cluster.js';
import { consoleInbox } from './subjects/console.js';
import { encryption } from './subjects/encryption.js';
import { events } from './subjects/events.js';
import { histories } from './subjects/histories.js';
import { inbox } from './subjects/inbox.js';
import { memory } from './subjects/memory.js';
import { notes } from './subjects/notes.js';
import { nudges } from './subjects/nudges.js';
import { outage } from './subjects/outage.js';
import { polls } from './subjects/polls.js';
import { replay } from './subjects/replay.js';
import { restart } from './subjects/restart.js';
import { startUp } from './subjects/start-up.js';
import { throughput } from './subjects/throughput.js';
import { tokens } from './subjects/tokens.js';
import { webhooks } from './subjects/webhooks.js';

/** All subjects, by the names that `npm run bench` accepts. */
export const SUBJECTS: Readonly<Record<string, Subject>> = {
  throughput,
  encryption,
  histories,
  notes,
  outage,
  polls,
  actions,
  memory,
  restart,
  replay,
  nudges,
  webhooks,
  inbox,
  console: consoleInbox,
  'start-up': startUp,
  events,
  calls,
  tokens,
  catalogue,
  cluster,
};
