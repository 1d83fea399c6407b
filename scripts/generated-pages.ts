import { configurationMarkdown, envExample } from './configuration.js';
import { partnerApisMarkdown } from './partner-apis.js';

/** What "npm run docs" writes, by path, and what the unit tests compare with the files. */
export const GENERATED_PAGES: Readonly<Record<string, () => string>> = {
  'docs/partner-apis.md': partnerApisMarkdown,
  'docs/configuration.md': configurationMarkdown,
  '.env.example': envExample,
};
