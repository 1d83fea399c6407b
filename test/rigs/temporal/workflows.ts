/** All workflows of tests that are not Gangway's, in one bundle: a bundle takes seconds, whatever is in it. */
export * from '../nexus/workflows.js';
export * from './roads-workflow.js';
export * from './talkative-workflow.js';
