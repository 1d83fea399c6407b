import { planOf } from './plan.js';
import { simulate } from './simulation.js';
import { Partners } from './partners.js';
import { World } from './world.js';
import { MARKERS } from './markers.js';
process.setSourceMapsEnabled(false);
for (let i=0;i<20;i++) await simulate(planOf(100+i));
const t = process.hrtime.bigint();
for (let i=0;i<50;i++) { const w = new World(i); const p = await Partners.open(w, { password: MARKERS.password, pace: { milliseconds: 3600000 } }); await p.close(); }
console.log('open', Number(process.hrtime.bigint() - t) / 1e6/50);
process.exit(0);
