import { readFileSync } from 'node:fs';
import type { JsonObject } from '@millrace/engine';

const LOCALE = ['LANG', 'LC_ALL', 'TZ'];
const NETWORK = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'ALL_PROXY',
  'PIP_INDEX_URL',
  'NPM_CONFIG_REGISTRY',
];
const BUNDLES = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS'];

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of the service that a sandbox may see (§8.4). All others are withheld, and so is an address with a password. */
export interface Forwarded {
  readonly locale: readonly string[];
  /** Only for a sandbox with a network. */
  readonly network: readonly string[];
  /** PEM of the bundle of certificate authorities; its file is not on the machine of the container. */
  readonly authorities: string | undefined;
}

const hasPassword = (value: string): boolean => /^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/\s]*@/i.test(value);

export function forwardedVariables(env: Environment): Forwarded {
  const pairs = (names: readonly string[]) =>
    names.flatMap((name) => {
      const value = env[name] ?? env[name.toLowerCase()] ?? '';
      if (value === '' || hasPassword(value)) return [];
      // Programs disagree about the case of the names of proxies.
      return name.endsWith('_PROXY')
        ? [`${name}=${value}`, `${name.toLowerCase()}=${value}`]
        : [`${name}=${value}`];
    });
  return { locale: pairs(LOCALE), network: pairs(NETWORK), authorities: bundleIn(env) };
}

function bundleIn(env: Environment): string | undefined {
  for (const name of BUNDLES) {
    const path = env[name];
    if (path === undefined || path === '') continue;
    try {
      return readFileSync(path, 'utf8');
    } catch {
      // A bundle that the service cannot read is skipped in favour of the next one.
    }
  }
  return undefined;
}

/** Tells a program of the sandbox about its network. */
export const networkFacts = ({ authorities }: Forwarded, has_network: boolean): JsonObject => ({
  has_network,
  ...(has_network && authorities !== undefined ? { authorities } : {}),
});
