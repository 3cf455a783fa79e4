/** Schemes that run code, read files or never reach an app of the person. */
const UNSAFE_SCHEMES = new Set([
  'javascript:',
  'data:',
  'vbscript:',
  'file:',
  'filesystem:',
  'blob:',
  'about:',
  'view-source:',
  'chrome:',
  'ws:',
  'wss:',
  'ftp:',
  'mailto:',
  'tel:',
]);
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
const LONGEST = 2000;

function parse(text: string): URL | undefined {
  // The parser drops these where it finds them, so that the text would not say where it leads.
  if (text.length > LONGEST || /[\s\p{Cc}\\]/u.test(text)) return undefined;
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

const isLoopback = ({ protocol, hostname }: URL): boolean => protocol === 'http:' && LOOPBACK.has(hostname);

/** Whether a client may register the address: https, http on the person's own machine, or a scheme of an app (RFC 8252). */
export function isSafeRedirect(text: string): boolean {
  const url = parse(text);
  if (!url || text.includes('#') || url.username !== '' || url.password !== '') return false;
  if (url.protocol === 'https:') return true;
  if (url.protocol === 'http:') return isLoopback(url);
  return !UNSAFE_SCHEMES.has(url.protocol);
}

/** Exactly as registered; only the port of the person's own machine may differ (RFC 8252 section 7.3). */
export function matchesRedirect(given: string, registered: readonly string[]): boolean {
  if (registered.includes(given)) return true;
  const url = parse(given);
  if (!url || !isLoopback(url) || !isSafeRedirect(given)) return false;
  return registered.some((text) => {
    const known = parse(text);
    if (!known || !isLoopback(known) || known.hostname !== url.hostname) return false;
    return known.pathname === url.pathname && known.search === url.search;
  });
}

/** The part of an address that a person is shown: the host, or the scheme of an app. */
export function redirectHost(text: string): string {
  const url = parse(text);
  return url?.host || url?.protocol || text;
}

/** Source expression by which a content security policy lets a form lead there. */
export function redirectSource(text: string): string {
  const url = parse(text);
  if (!url) return '';
  // A policy has no notation for an IPv6 host.
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return url.protocol;
  return url.hostname.startsWith('[') ? url.protocol : url.origin;
}

/** The address with the answer of the server in its query. */
export function withAnswer(
  redirect_uri: string,
  answer: Readonly<Record<string, string | undefined>>,
): string {
  const url = new URL(redirect_uri);
  for (const [name, value] of Object.entries(answer))
    if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}
