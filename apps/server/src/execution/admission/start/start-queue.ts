/** How a wait ended: with a place, without one, or because the client is gone. */
export type Entry = 'entered' | 'refused' | 'left';

/** Where requests wait until their run may start, while the process works on as many runs as it may. */
export interface StartQueue {
  /**
   * `entered` at once when there is room and the queue is empty. Otherwise resolves when it is the caller's turn; `refused`
   * when that took longer than `max_wait_ms`, the queue is full, or the queue is closed.
   *
   * @param left asked for only where the caller has to wait
   */
  enter(left: () => AbortSignal): 'entered' | Promise<Entry>;
  readonly waiting: number;
}

export interface StartQueueOptions {
  /** How many more runs may begin now; 0 or less: none. */
  readonly room: () => number;
  /** False refuses everyone who waits or comes. */
  readonly isOpen: () => boolean;
  /** Milliseconds; 0 refuses any run that cannot start at once. */
  readonly max_wait_ms: number;
  readonly max_waiting: number;
}

interface Waiter {
  readonly until: number;
  readonly tell: (entry: Entry) => void;
}

/** A run that ends makes room for one that waits within this. */
const LOOK_EVERY_MS = 10;

export function createStartQueue({ room, isOpen, max_wait_ms, max_waiting }: StartQueueOptions): StartQueue {
  let queue: Waiter[] = [];
  let timer: NodeJS.Timeout | undefined;

  /** FIFO; equal timeouts, so the head expires first. */
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
      tell(may_enter ? 'entered' : 'refused');
    }
    if (gone > 0) queue = queue.slice(gone);
    restWhenEmpty();
  }

  function restWhenEmpty(): void {
    if (queue.length > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function wait(left: AbortSignal): Promise<Entry> {
    if (left.aborted) return Promise.resolve('left');
    return new Promise((resolve) => {
      const onLeft = () => {
        queue = queue.filter((one) => one !== waiter);
        restWhenEmpty();
        resolve('left');
      };
      const tell = (entry: Entry) => {
        left.removeEventListener('abort', onLeft);
        resolve(entry);
      };
      const waiter: Waiter = { until: performance.now() + max_wait_ms, tell };
      left.addEventListener('abort', onLeft, { once: true });
      queue.push(waiter);
      timer ??= setInterval(look, LOOK_EVERY_MS);
    });
  }

  return {
    enter(left) {
      if (!isOpen()) return Promise.resolve('refused');
      if (queue.length === 0 && room() > 0) return 'entered';
      if (queue.length >= max_waiting || max_wait_ms === 0) return Promise.resolve('refused');
      return wait(left());
    },
    get waiting() {
      return queue.length;
    },
  };
}
