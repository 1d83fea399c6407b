/**
 * Combines Gangway's workflows with another program's, for that program's worker (worker/plugin.ts). Webpack resolves the second
 * module to the program's own, which may be CommonJS or a folder, so this file is CommonJS too.
 */
const ours: Workflows = require('./index.js');
const theirs: Workflows = require('gangway-their-workflows');

type Workflows = Readonly<Record<string, unknown>>;

const both = Object.keys(theirs).find((name) => name !== '__esModule' && name in ours);
if (both !== undefined) throw new Error(`workflow ${both} has the name of a workflow of Gangway`);

module.exports = { ...ours, ...theirs };
