import { NodeFailure } from '@millrace/engine';
import { refusedParam } from '../kit/refused-param.ts';
import type { Egress } from '../services.ts';

const FIELD = 'playwrightAllowedHosts';
const NAME = /^(\*\.)?[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/;
const IPV6 = /^[0-9a-f:.]+$/;

/** The hosts of the field, in lower case; empty for all. @throws NodeFailure for what is no host */
export function hostsIn(text: string): readonly string[] {
  const hosts = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((host) => host !== '');
  const wrong = hosts.find((host) => !NAME.test(host) && !(host.includes(':') && IPV6.test(host)));
  if (wrong !== undefined)
    throw refusedParam(
      FIELD,
      `has "${wrong}", which is no host; write hosts such as example.com or *.example.com`,
    );
  return hosts;
}

const matches = (host: string, allowed: string): boolean =>
  allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed;

/** The connections of a browser, only to these hosts; what else the service refuses stays refused. */
export function restrictedTo(
  hosts: readonly string[],
  http: Pick<Egress, 'connect'>,
): Pick<Egress, 'connect'> {
  if (hosts.length === 0) return http;
  return {
    connect: (request) => {
      const host = request.host.toLowerCase().replace(/\.$/, '');
      if (hosts.some((allowed) => matches(host, allowed))) return http.connect(request);
      const message = `${host} is not among the allowed hosts of the node`;
      return Promise.reject(new NodeFailure({ kind: 'upstream', message }));
    },
  };
}
