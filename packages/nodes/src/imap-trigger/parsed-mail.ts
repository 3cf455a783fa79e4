import { MEGABYTE } from '@millrace/engine/units';
import type { Email } from 'postal-mime';

const LIMITS = { maxNestingDepth: 50, maxHeadersSize: MEGABYTE };

/** A parsed mail; undefined when it cannot be parsed. */
export async function parsedMail(source: Uint8Array): Promise<Email | undefined> {
  const { default: PostalMime } = await import('postal-mime');
  return PostalMime.parse(source, LIMITS).catch(() => undefined);
}
