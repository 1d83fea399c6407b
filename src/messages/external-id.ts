import { z } from 'zod';

/** An `externalId` becomes part of a workflow id: visible to everyone, so a plain key and nothing personal. */
export const externalId = z
  .string()
  .min(1)
  .max(200)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:-]*$/,
    'takes letters, digits and . _ : - and starts with a letter or digit',
  )
  .refine((id) => !/^\d{3}-?\d{2}-?\d{4}$/.test(id), 'looks like a social security number');

/** Hours a person has to answer a requirement. */
export const dueInHours = z.number().positive().max(8_760);
