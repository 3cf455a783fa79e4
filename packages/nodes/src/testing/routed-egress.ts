import type { Egress } from '../services.ts';
import { realEgress } from './real-egress.ts';

/** A way out on which each host of the internet is a server of the test; every other host is unknown. */
export function routedEgress(servers: Readonly<Record<string, string>>): Egress {
  const real = realEgress();
  return {
    ...real,
    request: (request) => {
      const { host, origin } = new URL(request.url);
      const server = servers[host];
      if (server === undefined) return Promise.reject(new Error(`the test has no server for ${host}`));
      return real.request({ ...request, url: request.url.replace(origin, server) });
    },
  };
}
