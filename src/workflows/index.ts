/** What the worker bundles: one export a workflow type. */
export { merchantBoarding } from './merchant-boarding.js';
