import type { PortalInfo } from '@millrace/contracts';

const part = (color: string, at: number): number => {
  const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
  return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
};

/** WCAG 2.2: black has more contrast than white with colours that are lighter than this. */
const LIGHT = 0.179;

/** Black or white, whichever is easier to read on the colour. */
export const readableOn = (color: string): string =>
  0.2126 * part(color, 1) + 0.7152 * part(color, 3) + 0.0722 * part(color, 5) > LIGHT ? '#000' : '#fff';

/** Gives the page the colour of its owner; tints and hovers follow from it in the style sheet. */
export function showColors({ appearance: { accent_color } }: Pick<PortalInfo, 'appearance'>): void {
  const root = document.documentElement;
  root.classList.toggle('has-brand', accent_color !== null);
  if (accent_color === null) return;
  root.style.setProperty('--brand', accent_color);
  root.style.setProperty('--on-brand', readableOn(accent_color));
}
