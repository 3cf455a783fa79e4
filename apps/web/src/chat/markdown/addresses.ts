import { isPicture } from '@millrace/contracts/portal-text';

const LINKS = new Set(['http:', 'https:', 'mailto:', 'tel:']);

/** The address of a link that may be opened; undefined for scripts and anything else. */
export function linkAddress(href: string, base: string): string | undefined {
  try {
    const url = new URL(href, base);
    return LINKS.has(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** Where the Drive serves shared files (`downloadSharedFile`). */
const SHARED_FILES = '/api/files/dl/';

/**
 * The address of a picture that may be shown at once: one in the text itself, or a shared file of this server. One from
 * another host would tell that host who reads.
 */
export function pictureAddress(src: string, base: string): string | undefined {
  if (isPicture(src)) return src;
  try {
    const url = new URL(src, base);
    const isShared = url.origin === new URL(base).origin && url.pathname.startsWith(SHARED_FILES);
    return isShared ? url.href : undefined;
  } catch {
    return undefined;
  }
}
