import { ApiError } from '@millrace/contracts/client';

/** A browser opens six connections to a host; the rest would keep the page's own requests waiting. */
const AT_ONCE = 4;

export interface Refused<Item> {
  readonly item: Item;
  readonly reason: string;
  /** The person may see the thing, but not change it so. */
  readonly is_forbidden: boolean;
}

export interface Changed<Item> {
  readonly done: readonly Item[];
  readonly refused: readonly Refused<Item>[];
}

/** Makes one change to several things, a few at a time. One that is refused does not keep the others from it. */
export async function changeEach<Item>(
  items: readonly Item[],
  change: (item: Item) => Promise<unknown>,
  onProgress: (finished: number) => void = () => undefined,
): Promise<Changed<Item>> {
  const done: Item[] = [];
  const refused: Refused<Item>[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    const part = items.slice(at, at + AT_ONCE);
    const answers = await Promise.allSettled(part.map(change));
    for (const [index, item] of part.entries()) {
      const answer = answers[index];
      if (answer?.status !== 'rejected') done.push(item);
      else {
        const error: unknown = answer.reason;
        refused.push({
          item,
          reason: error instanceof Error ? error.message : String(error),
          is_forbidden: error instanceof ApiError && error.status === 403,
        });
      }
    }
    onProgress(at + part.length);
  }
  return { done, refused };
}
