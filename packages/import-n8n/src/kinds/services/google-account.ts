import { onlyScript } from '../../expression/field.ts';

export const GOOGLE = { credential: 'google' };

/** The id in an address of Google, or the text itself. */
export function extractGoogleId(text: string): string {
  const [, fixed] = /\/(?:d|folders)\/([\w-]{10,})/.exec(text) ?? [];
  if (fixed !== undefined) return fixed;
  const script = onlyScript(text);
  const cut = String.raw`.replace(/^.*\/(d|folders)\/|\/.*$/g, "")`;
  if (script !== undefined) return `={{ String(${script})${cut} }}`;
  return text.replace(/^=https:\/\/docs\.google\.com\/document\/d\/(.*?)(\/.*)?$/, '=$1');
}
