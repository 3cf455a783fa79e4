import { sleep } from '../run/sleep.ts';

const LOOK_EVERY_MS = 500;

interface Pool<Item> {
  readonly most_at_once: number;
  /** How often to look for new items while others are being worked on. */
  readonly look_every_ms?: number;
  /** Undefined when there is nothing to do. */
  readonly next: () => Promise<Item | undefined>;
  /** Must not reject. */
  readonly work: (item: Item) => Promise<void>;
  /** Takes no more items. */
  readonly signal: AbortSignal;
}

/** Until an item is done or it is time to look again. The timer ends with the wait: many items may be done before it is due. */
async function untilNext(
  { look_every_ms = LOOK_EVERY_MS, signal }: Pick<Pool<unknown>, 'look_every_ms' | 'signal'>,
  working: ReadonlySet<Promise<void>>,
): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([...working, sleep(look_every_ms, AbortSignal.any([signal, over.signal]))]);
  } finally {
    over.abort();
  }
}

/** Takes items until there is none left; resolves when all that were taken are done. */
export async function workInPool<Item>(of: Pool<Item>): Promise<void> {
  const working = new Set<Promise<void>>();
  try {
    while (!of.signal.aborted) {
      const item = working.size < of.most_at_once ? await of.next() : undefined;
      if (item !== undefined) {
        const work: Promise<void> = of.work(item).finally(() => working.delete(work));
        working.add(work);
      } else if (working.size === 0) return;
      else await untilNext(of, working);
    }
  } finally {
    await Promise.all(working);
  }
}
