import type { ClockCall } from '../receive.ts';

/** The call of a clock in this zone. */
export function clockCall<P>(params: P, time_zone: string): ClockCall<P> {
  return { params, node_id: 'clock', time_zone };
}
