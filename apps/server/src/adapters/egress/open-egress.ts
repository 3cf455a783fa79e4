import * as tls from 'node:tls';
import type { Config } from '../../config.ts';
import { type ClosableEgress, createEgress, type EgressOptions } from './egress.ts';

/** Node 22.15 and later also know those of `NODE_EXTRA_CA_CERTS`. */
function usualAuthorities(): readonly string[] {
  // Guarantee: where the function exists it has this type, which the types of the oldest supported version lack.
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  return getCACertificates?.('default') ?? tls.rootCertificates;
}

/** Opens outgoing connections as the settings allow. The operator's certificate authorities are trusted in addition to Node's. */
export function openEgress(
  config: Pick<Config, 'HTTP_ALLOW_PRIVATE_URLS' | 'CERTIFICATE_AUTHORITIES'>,
  log: EgressOptions['log'],
): ClosableEgress {
  const own = config.CERTIFICATE_AUTHORITIES;
  return createEgress({
    allow_private: config.HTTP_ALLOW_PRIVATE_URLS,
    log,
    ...(own === undefined ? {} : { ca: [...usualAuthorities(), own].join('\n') }),
  });
}
