import { anyOf, PRIVATE_PATTERNS } from '../../privacy/private-values.js';

const SOCIAL_SECURITY_NUMBER = anyOf(['socialSecurityNumber', 'nineDigits']);
const TAX_NUMBER = new RegExp(PRIVATE_PATTERNS.taxNumber.source, 'g');

/**
 * Text of others with the social security and tax numbers in it masked down to their last four digits: what a partner or
 * an operator writes is shown to everyone who may look at an onboarding.
 */
export function masked(text: string): string {
  return text
    .replace(SOCIAL_SECURITY_NUMBER, (found) => `***-**-${found.slice(-4)}`)
    .replace(TAX_NUMBER, (found) => `**-***${found.slice(-4)}`);
}
