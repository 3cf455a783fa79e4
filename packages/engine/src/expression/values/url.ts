import { wellFormed } from './unicode.ts';

/** Percent-encodes everything but letters, digits and `-_.~` (RFC 3986 section 2.3). */
export function encodeUrl(text: string): string {
  return encodeURIComponent(wellFormed(text)).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A name or a value of a form: spaces become "+", and "*" stays. */
export function encodeForm(text: string): string {
  return encodeUrl(text).replaceAll('%20', '+').replaceAll('%2A', '*').replaceAll('~', '%7E');
}

/** Decodes percent sequences; those that are not UTF-8 stay as they are. */
export function decodeUrl(text: string): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (sequence) => {
    try {
      return decodeURIComponent(sequence);
    } catch {
      return sequence;
    }
  });
}
