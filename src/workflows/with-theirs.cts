/**
 * Gangway's workflows together with those of another program, for the worker of that program (worker/plugin.ts). Webpack replaces the
 * second module by the program's own, which may be CommonJS or a folder: so this is also CommonJS.
 */
const ours: Workflows = require('./index.js');
const theirs: Workflows = require('gangway-their-workflows');

type Workflows = Readonly<Record<string, unknown>>;

const both = Object.keys(theirs).find((name) => name !== '__esModule' && name in ours);
if (both !== undefined) throw new Error(`workflow ${both} has the name of a workflow of Gangway`);

module.exports = { ...ours, ...theirs };
