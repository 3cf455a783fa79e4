import type { TriggerCall, TriggerServices } from '../receive.ts';

/** Services of a trigger that must not need any of them but the zone. */
export function clockCall<P>(params: P, time_zone: string): TriggerCall<P> {
  const unused = () => {
    throw new Error('a clock asks nothing outside');
  };
  const http = { request: unused, connect: unused, addressesOf: unused };
  const files = { max_bytes: 0, store: unused, discard: unused };
  const services: TriggerServices = { http, credential: unused, now: unused, time_zone, files };
  return { params, node_id: 'clock', services };
}
