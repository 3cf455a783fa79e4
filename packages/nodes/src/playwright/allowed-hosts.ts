import { NodeFailure } from '@millrace/engine';
import { isAmong } from '../kit/network/host-list.ts';
import type { Egress } from '../services.ts';

/** The connections of a browser, only to these hosts; what else the service refuses stays refused. */
export function restrictedTo(
  hosts: readonly string[],
  http: Pick<Egress, 'connect'>,
): Pick<Egress, 'connect'> {
  return {
    connect: (request) => {
      if (isAmong(request.host, hosts)) return http.connect(request);
      const message = `${request.host} is not among the allowed hosts of the node`;
      return Promise.reject(new NodeFailure({ kind: 'upstream', message }));
    },
  };
}
