import type { Broadcast } from '../../../ports/coordination/broadcast.ts';

/** A request of a client, so that another message can name it: its conversation, and its id in there. */
export interface RequestName {
  /** Person and conversation; nothing else can name its requests. */
  readonly scope: string;
  readonly id: string | number;
}

/** Requests that are worked on in this process, to be cancelled by messages that reach any process. */
export interface Cancellations {
  /** The returned function takes the request out again. */
  add(name: RequestName, cancel: () => void): () => void;
  cancel(name: RequestName): void;
  close(): void;
}

const buildKey = ({ scope, id }: RequestName): string => JSON.stringify([scope, id]);

export function createCancellations(broadcast: Broadcast): Cancellations {
  const underWay = new Map<string, () => void>();
  const close = broadcast.subscribe('mcp_cancel', (key) => underWay.get(key)?.());
  return {
    add(name, cancel) {
      const key = buildKey(name);
      underWay.set(key, cancel);
      return () => {
        if (underWay.get(key) === cancel) underWay.delete(key);
      };
    },
    cancel: (name) => broadcast.publish('mcp_cancel', buildKey(name)),
    close,
  };
}
