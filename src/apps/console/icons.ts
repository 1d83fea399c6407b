/** The icons of the console, by their names in Octicons. The build puts them into the style sheet, a class for each. */
export const ICONS = [
  'inbox',
  'list-unordered',
  'pulse',
  'plus-circle',
  'graph',
  'search',
  'sign-out',
  'person',
  'organization',
  'gear',
  'comment',
  'question',
  'pencil',
  'paperclip',
  'check',
  'check-circle',
  'x',
  'x-circle',
  'alert',
  'clock',
  'copy',
  'upload',
  'download',
  'link',
] as const;

export type IconName = (typeof ICONS)[number];
