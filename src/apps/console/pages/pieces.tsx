import type { RenderableProps } from 'preact';
import { capitalize } from '../../../partners/text-limits.js';
import { toneOf } from '../../../services/reports/report-page.js';
import type { IconName } from '../icons.js';

/** Small components of several pages: icons, status chips, initials. For times, see `When` in parts.tsx. */

/** A decorative icon: a word or a label next to it has the same meaning. */
export function Icon({ name }: { readonly name: IconName }) {
  return <span class={`icon icon-${name}`} aria-hidden="true" />;
}

/** A status in words, with a color that has the same meaning on all pages. */
export function Chip({ tone, children }: RenderableProps<{ readonly tone: ReturnType<typeof toneOf> }>) {
  return <span class={`chip chart-${tone}`}>{children}</span>;
}

/** A chip with a stage in words: `Credit review` for `credit-review`. */
export function StageChip({ stage }: { readonly stage: string }) {
  return <Chip tone={toneOf(stage)}>{capitalize(stage.replaceAll(/[-_]/g, ' '))}</Chip>;
}

const AVATAR_TONES = ['main', 'left', 'good', 'part', 'calm', 'bad'];

/** A person's initials, in a color that depends on the person. The name is next to it. */
export function Avatar({ actor }: { readonly actor: string }) {
  const [name = ''] = actor.split(' (', 1);
  const initials = name.split(/[\s._@-]/, 2).map((word) => [...word][0]?.toUpperCase());
  const sum = [...name].reduce((total, sign) => total + (sign.codePointAt(0) ?? 0), 0);
  const tone = AVATAR_TONES[sum % AVATAR_TONES.length];
  return <span class={`avatar chart-${tone}`} data-initials={initials.join('')} aria-hidden="true" />;
}
