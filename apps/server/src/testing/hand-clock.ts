import type { ChangeClock } from '../ports/coordination/change-clock.ts';

/** A change clock that tests move. */
export function createHandClock(): ChangeClock & { seen: number } {
  return {
    seen: 0,
    current() {
      return this.seen;
    },
    waitUntilVisible: () => undefined,
    watch: () => () => undefined,
  };
}
