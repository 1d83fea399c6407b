/**
 * Text of others with the social security and tax numbers in it masked down to their last four digits: what a partner or
 * an operator writes is shown to everyone who may look at an onboarding.
 */
export function masked(text: string): string {
  return text
    .replace(/(?<![\w-])\d{3}-?\d{2}-?(\d{4})(?![\w-])/g, '***-**-$1')
    .replace(/(?<![\w-])\d{2}-\d{3}(\d{4})(?![\w-])/g, '**-***$1');
}
