import type { ClockCall } from '../receive.ts';

/** What a clock of this zone knows. */
export function clockCall<P>(params: P, time_zone: string): ClockCall<P> {
  return { params, node_id: 'clock', time_zone };
}
