import type { Json } from '@millrace/engine';
import { TURN_LIMITS } from '../limits.ts';

/**
 * A result as the model reads it: JSON between marks that nothing in it can close, so that a text from outside cannot pass
 * for an instruction.
 *
 * @param most characters, the rest is cut
 */
export function markedData(
  tool: string,
  value: unknown,
  most: number = TURN_LIMITS.result_characters,
): string {
  const text = (JSON.stringify(value) ?? 'null').replaceAll('<', '\\u003c');
  const shown =
    text.length > most
      ? `${text.slice(0, most)}\n[cut: ${text.length} characters; ask for less, or for one part]`
      : text;
  return `<data tool="${tool}">\n${shown}\n</data>`;
}

const IMAGE = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;
const MOST_IMAGES = 4;
const MOST_IMAGE_CHARACTERS = 3_000_000;

/** Images in a value, and the value with a word in the place of each. */
export function takeImages(value: Json): { value: Json; images: string[] } {
  const images: string[] = [];
  const take = (inside: Json): Json => {
    if (typeof inside === 'string') {
      if (!inside.startsWith('data:image/') || !IMAGE.test(inside)) return inside;
      if (images.length < MOST_IMAGES && inside.length <= MOST_IMAGE_CHARACTERS) images.push(inside);
      return '[image, shown to the user]';
    }
    if (Array.isArray(inside)) return inside.map(take);
    if (typeof inside !== 'object' || inside === null) return inside;
    return Object.fromEntries(Object.entries(inside).map(([key, part]) => [key, take(part)]));
  };
  return { value: take(value), images };
}
