/**
 * The form of an account's name. It is part of names of task queues and settings and a search attribute, so everyone sees
 * it; a hyphen becomes an underscore in settings, so there are no underscores.
 */
export const ACCOUNT_NAME = /^(?=.{1,20}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

export const ACCOUNT_NAME_RULE =
  'takes lower-case letters, digits and single hyphens in between, begins with a letter and has 20 characters at most';
