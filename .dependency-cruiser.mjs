import { readdirSync } from 'node:fs';

/**
 * The directions of imports in src/, as docs/architecture.md lists them, and in simulation/. `npm run check` enforces each rule, and
 * test/unit/architecture.test.ts proves that each rule refuses an import.
 */

/** The rooms of src/ from the bottom up. A room imports rooms below it, never one next to or above it. */
export const LAYERS = [
  ['platform', 'at-most-once'],
  ['partners'],
  ['messages'],
  ['temporal'],
  ['workflows', 'activities'],
  ['worker'],
  ['services'],
  ['apps'],
];

/** Each folder of src/partners holds a partner, but for documents of all of them, and the OpenAPI documents. */
const PARTNERS = readdirSync(new URL('src/partners/', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !['documents', 'openapi'].includes(entry.name))
  .map(({ name }) => name);

const inFolders = (names) => `^src/(${names.join('|')})/`;

/** They import nothing of Temporal and nothing that changes, and neither does what they import. */
const DECISIONS =
  '^src/workflows/([^/]+/(decisions|deliveries|reducer|tickets|volatile-fields)|(boarding|business)/questions)\\.ts$|^src/messages/outcomes\\.ts$';

const TRANSITIONS =
  '^src/workflows/(runtime/(current-details|link-rules|outbound-events|questions|requirements|resolutions|state)|account-questions)\\.ts$';

const layers = LAYERS.flatMap((names, height) =>
  names.map((name) => {
    const notBelow = LAYERS.slice(height)
      .flat()
      .filter((other) => other !== name);
    // The processes are above all rooms.
    const processes = '^src/[^/]+\\.ts$';
    return {
      name: `${name}: imports only what is below it`,
      from: { path: inFolders([name]) },
      to: { path: notBelow.length > 0 ? [inFolders(notBelow), processes] : processes },
    };
  }),
);

const more = [
  {
    name: 'no cycles',
    from: { pathNot: '^test/' },
    to: { circular: true },
  },
  {
    // Keeps F1.
    name: 'workflows: no Node built-ins, because workflow code is deterministic',
    from: { path: inFolders(['workflows']) },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'workflows: no I/O, and no zod, whose schemas each cached workflow would allocate',
    from: { path: inFolders(['workflows']) },
    to: { path: 'node_modules/(zod|undici|fastify|pino)/' },
  },
  {
    name: 'workflows: only @temporalio/workflow and @temporalio/common',
    from: { path: inFolders(['workflows']) },
    to: { path: 'node_modules/@temporalio/(?!workflow/|common/)' },
  },
  {
    name: 'workflows: of a partner, only phases, kinds of failures, and bounds of texts',
    from: { path: inFolders(['workflows']) },
    to: { path: '^src/partners/(?!.*phases\\.ts$|partner-error\\.ts$|text-limits\\.ts$)' },
  },
  {
    name: 'workflows: activities only by their interfaces in messages/',
    from: { path: inFolders(['workflows']) },
    to: { path: inFolders(['activities', 'temporal', 'platform/(documents|settings)']) },
  },
  {
    // Keeps F2.
    name: 'workflows: decisions are functions of values',
    from: { path: DECISIONS },
    to: {
      pathNot: [DECISIONS, '^src/partners/.*phases\\.ts$', inFolders(['platform/privacy'])],
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    // Keeps F2.
    name: 'workflows: transitions of the state, and texts for people, are functions of values',
    from: { path: TRANSITIONS },
    to: {
      pathNot: [
        TRANSITIONS,
        inFolders(['messages', 'platform/privacy']),
        '^src/partners/(text-limits|phases)\\.ts$',
      ],
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'partners: no Temporal',
    from: { path: inFolders(['partners']) },
    to: { path: 'node_modules/@temporalio/' },
  },
  {
    name: 'sandbox: no Temporal',
    from: { path: inFolders(['apps/sandbox']) },
    to: { path: ['node_modules/@temporalio/', inFolders(['temporal', 'messages'])] },
  },
  {
    // Keeps D7.
    name: 'link: no Temporal, no partner, and no other process',
    from: { path: inFolders(['apps/link']) },
    to: {
      path: [
        'node_modules/@temporalio/',
        inFolders(['temporal', 'messages', 'workflows', 'activities', 'worker', 'partners']),
        '^src/apps/(?!link/)',
      ],
    },
  },
  {
    name: 'at-most-once: the permit is for the client that sends, and for the activity side, which alone makes it',
    from: { pathNot: '^src/(at-most-once/activity|partners/client)\\.ts$' },
    to: { path: '^src/at-most-once/permit\\.ts$' },
  },
  {
    name: 'at-most-once: the activity side is for activities and the worker',
    from: { pathNot: inFolders(['activities', 'worker', 'at-most-once']) },
    to: { path: '^src/at-most-once/activity\\.ts$' },
  },
  {
    name: 'at-most-once: other rooms import only its three entries',
    from: { pathNot: inFolders(['at-most-once']) },
    to: { path: '^src/at-most-once/(?!(activity|permit|workflow)\\.ts$)' },
  },
  {
    name: 'at-most-once: each side has only its part of Temporal, and no other package',
    from: { path: '^src/at-most-once/(workflow|intent|permit)\\.ts$' },
    to: {
      pathNot: ['node_modules/@temporalio/(workflow|common)/', inFolders(['at-most-once'])],
    },
  },
  {
    name: 'calls by hand: only gangway call makes them, and people in the simulation',
    from: { pathNot: '^(src/apps/command/partner/call-run|simulation/(errands|existing))\\.ts$' },
    to: { path: '^src/partners/by-hand\\.ts$' },
  },
  ...PARTNERS.map((system) => ({
    // Keeps P5.
    name: `partners/${system}: no other partner`,
    from: { path: `^src/(partners|apps/sandbox|activities)/${system}[/.]` },
    to: {
      path: `^src/(partners|apps/sandbox|activities)/(${PARTNERS.filter((other) => other !== system).join('|')})[/.]`,
    },
  })),
];

export default {
  forbidden: [...layers, ...more].map((rule) => ({ severity: 'error', ...rule })),
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
