/** The icons of the console, by their names in Octicons. The build puts them into the style sheet, a class for each. */
export const ICONS = [
  ...(['inbox', 'list-unordered', 'pulse', 'plus-circle', 'graph', 'search', 'sign-out', 'filter'] as const),
  ...(['person', 'organization', 'gear', 'comment', 'question', 'pencil', 'paperclip', 'link'] as const),
  ...(['check', 'check-circle', 'x', 'x-circle', 'alert', 'clock', 'copy', 'upload', 'download'] as const),
];

export type IconName = (typeof ICONS)[number];
