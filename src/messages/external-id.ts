import { z } from 'zod';
import { PRIVATE_PATTERNS, type PrivateKind } from '../private-values.js';

/** What must not be part of an id, not even beside other things. */
const NOT_IN_IDS: readonly (readonly [PrivateKind, words: string])[] = [
  ['socialSecurityNumber', 'a social security number'],
  ['nineDigits', 'a social security number'],
  ['taxNumber', 'a tax number'],
  ['phoneNumber', 'a phone number'],
];

/** An `externalId` becomes part of a workflow id: visible to everyone, so a plain key and nothing personal. */
export const externalId = z
  .string()
  .min(1)
  .max(200)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:-]*$/,
    'takes letters, digits and . _ : - and starts with a letter or digit',
  )
  .superRefine((id, context) => {
    const looksLike = NOT_IN_IDS.find(([kind]) => PRIVATE_PATTERNS[kind].test(id))?.[1];
    if (looksLike !== undefined) context.addIssue(`contains what looks like ${looksLike}`);
  });

/** An id that the partners count from 1 on, as of merchants, agent profiles and boarding settings. */
export const partnerId = z.int32().min(1, 'must be an id at the partner, from 1 on');

/** A thirtieth of a second, which is at once for a person, and of which a timer still makes more than nothing. */
const SHORTEST_HOURS = 0.000_01;

/** Hours a person has to answer a requirement; a year at most. */
export const dueInHours = z
  .number()
  .min(SHORTEST_HOURS, `must be ${SHORTEST_HOURS} or more, in hours`)
  .max(8_760, 'must be 8760 or less, in hours');
