import type { Subject } from './bench.js';
import { accounts } from './subjects/accounts.js';
import { actions } from './subjects/actions.js';
import { cluster } from './subjects/cluster.js';
import { consoleInbox } from './subjects/console.js';
import { events } from './subjects/events.js';
import { histories } from './subjects/histories.js';
import { inbox } from './subjects/inbox.js';
import { memory } from './subjects/memory.js';
import { notes } from './subjects/notes.js';
import { nudges } from './subjects/nudges.js';
import { outage } from './subjects/outage.js';
import { peer } from './subjects/peer.js';
import { polls } from './subjects/polls.js';
import { restart } from './subjects/restart.js';
import { startUp } from './subjects/start-up.js';
import { throughput } from './subjects/throughput.js';

/** All subjects, by the names that `npm run bench` accepts. */
export const SUBJECTS: Readonly<Record<string, Subject>> = {
  throughput,
  peer,
  histories,
  notes,
  outage,
  polls,
  actions,
  memory,
  restart,
  accounts,
  nudges,
  inbox,
  console: consoleInbox,
  'start-up': startUp,
  events,
  cluster,
};
