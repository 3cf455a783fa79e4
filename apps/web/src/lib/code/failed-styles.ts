/** Style sheets that could not be loaded. Vite asks for each only once, so the part that needs one would appear without it. */
const failed = new Set<HTMLLinkElement>();

function noteFailure({ target }: Event): void {
  if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') failed.add(target);
}
// Such an event does not bubble. There is no document where code of the app is tested without a browser.
globalThis.document?.addEventListener('error', noteFailure, { capture: true });

/** A copy is a new request; the link that failed makes no other. */
function loadAgain(link: HTMLLinkElement): Promise<void> {
  const copy = link.cloneNode() as HTMLLinkElement;
  return new Promise((resolve) => {
    copy.addEventListener('load', () => resolve());
    copy.addEventListener('error', () => resolve());
    link.replaceWith(copy);
  });
}

let loading: Promise<unknown> | undefined;

export const hasFailedStyles = (): boolean => failed.size > 0 || loading !== undefined;

/** Loads the style sheets again that failed; those that fail once more are tried the next time. */
export async function loadFailedStyles(): Promise<void> {
  const links = [...failed].filter((link) => link.isConnected);
  failed.clear();
  const before = loading;
  const current = Promise.all([before, ...links.map(loadAgain)]);
  loading = current;
  await current;
  if (loading === current) loading = undefined;
}
