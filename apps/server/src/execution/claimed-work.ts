import { sleep } from './run/sleep.ts';

export interface ClaimedWork<Claim> {
  /** Claims that are worked on at a time, so that one that takes long does not hold up the others. */
  readonly most_at_once: number;
  /** Milliseconds until a claim that was not there is looked for again, while others are worked on. */
  readonly look_every_ms: number;
  /** For this process alone; undefined when there is nothing to do. */
  readonly claim: () => Promise<Claim | undefined>;
  /** Must not reject. */
  readonly work: (claim: Claim) => Promise<void>;
  /** Ends the claiming. */
  readonly signal: AbortSignal;
}

/** Until a claim is done or it is time to look again. The timer ends with the wait: many claims may be done before it is due. */
async function untilNext(
  { look_every_ms, signal }: Pick<ClaimedWork<unknown>, 'look_every_ms' | 'signal'>,
  working: ReadonlySet<Promise<void>>,
): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([...working, sleep(look_every_ms, AbortSignal.any([signal, over.signal]))]);
  } finally {
    over.abort();
  }
}

/** Claims work until there is none left; resolves when all that was claimed is done. */
export async function workOnClaims<Claim>(of: ClaimedWork<Claim>): Promise<void> {
  const working = new Set<Promise<void>>();
  try {
    while (!of.signal.aborted) {
      const claim = working.size < of.most_at_once ? await of.claim() : undefined;
      if (claim !== undefined) {
        const work: Promise<void> = of.work(claim).finally(() => working.delete(work));
        working.add(work);
      } else if (working.size === 0) return;
      else await untilNext(of, working);
    }
  } finally {
    await Promise.all(working);
  }
}
