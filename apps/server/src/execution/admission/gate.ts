/** Where requests wait for a moment when more runs than the process may work on at once. */
export interface Gate {
  /**
   * True at once when there is room and nobody waits. Otherwise resolves when it is the caller's turn; false when that took
   * too long, too many wait already, or the process is too late for everything anyway.
   */
  enter(): true | Promise<boolean>;
  readonly waiting: number;
}

export interface GateOptions {
  /** How many more runs may begin now; 0 or less: none. */
  readonly room: () => number;
  /** Whether waiting makes sense; false turns everybody away at once. */
  readonly isOpen: () => boolean;
  /** How long a request waits at most. */
  readonly patience_ms: number;
  readonly most_waiting: number;
}

interface Waiter {
  readonly until: number;
  readonly tell: (may_enter: boolean) => void;
}

/** A run that ends makes room for one that waits within this. */
const LOOK_EVERY_MS = 10;

export function createGate({ room, isOpen, patience_ms, most_waiting }: GateOptions): Gate {
  let queue: Waiter[] = [];
  let timer: NodeJS.Timeout | undefined;

  /** In the order in which they came; everybody has the same patience, so the first are also the first to lose it. */
  function look(): void {
    const now = performance.now();
    const open = isOpen();
    let places = open ? room() : 0;
    let gone = 0;
    for (const { until, tell } of queue) {
      const may_enter = places > 0;
      if (!may_enter && open && now < until) break;
      if (may_enter) places -= 1;
      gone += 1;
      tell(may_enter);
    }
    if (gone > 0) queue = queue.slice(gone);
    if (queue.length > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    enter() {
      if (!isOpen()) return Promise.resolve(false);
      if (queue.length === 0 && room() > 0) return true;
      if (queue.length >= most_waiting || patience_ms === 0) return Promise.resolve(false);
      return new Promise((tell) => {
        queue.push({ until: performance.now() + patience_ms, tell });
        timer ??= setInterval(look, LOOK_EVERY_MS);
      });
    },
    get waiting() {
      return queue.length;
    },
  };
}
