import { defineNode, NodeFailure } from '@millrace/engine';
import {
  type ConnectionCall,
  eventKeyFields,
  type FireOutcome,
  receive,
  type TriggerReceiver,
} from '@millrace/nodes/runtime';
import { z } from 'zod';

const plain = { family: 'trigger', summary: 'A test trigger.', icon: 'circle' } as const;

/** Due at every multiple of its seconds. */
export const testClock: TriggerReceiver = receive(
  defineNode({
    ...plain,
    type: 'testClock',
    title: 'Clock',
    params: z.object({ seconds: z.number().positive() }),
  }),
  {
    kind: 'clock',
    source: 'test',
    causes_kept_days: 1,
    next: ({ params }, after_ms) => {
      const step = params.seconds * 1_000;
      return Math.floor(after_ms / step) * step + step;
    },
    event: (_call, due_ms) => ({ cause: String(due_ms), input: { event: String(due_ms) } }),
    misfire: () => ({ policy: 'run_all', grace_ms: 600_000 }),
  },
);

/** A source outside: what happened there, and how it was answered. */
export interface TestSource {
  /** Something happens; resolves to its name. */
  happen(): string;
  /** All that happened. */
  readonly names: readonly string[];
  /** Everything that was acknowledged to the source; it would send anything else again. */
  readonly acknowledged: ReadonlySet<string>;
  /** Readers that are connected now. */
  readonly readers: number;
  /** From now on every look and every connection fails with this text; undefined: works. */
  failing: string | undefined;
}

/** A list that only grows, read from a place on. */
export function createTestPoll(): { readonly receiver: TriggerReceiver; readonly source: TestSource } {
  const events: string[] = [];
  const acknowledged = new Set<string>();
  const source = {
    happen,
    names: events,
    acknowledged,
    readers: 0,
    failing: undefined as string | undefined,
  };
  function happen(): string {
    const name = `event-${events.length}`;
    events.push(name);
    return name;
  }
  const definition = defineNode({
    ...plain,
    type: 'testPoll',
    title: 'Poll',
    params: z.object({ seconds: z.number().positive(), ...eventKeyFields('$input.event') }),
  });
  const receiver = receive(definition, {
    kind: 'poll',
    source: 'test',
    causes_kept_days: null,
    interval_ms: ({ params }) => params.seconds * 1_000,
    async poll({ cursor, fire }) {
      if (source.failing !== undefined) throw new NodeFailure({ kind: 'upstream', message: source.failing });
      let at = typeof cursor === 'number' ? cursor : 0;
      for (; at < events.length; at++) {
        const event = events[at] ?? '';
        const outcome = await fire({ cause: event, input: { event }, cursor: at + 1 });
        if (outcome.kind === 'lost') return at;
        acknowledged.add(event);
      }
      return at;
    },
  });
  return { receiver, source };
}

/** A queue that delivers to its readers and sends again what was not acknowledged. */
export function createTestQueue(): { readonly receiver: TriggerReceiver; readonly source: TestSource } {
  const waiting: string[] = [];
  const names: string[] = [];
  const acknowledged = new Set<string>();
  const wakes = new Set<() => void>();
  const source = {
    happen,
    names,
    acknowledged,
    readers: 0,
    failing: undefined as string | undefined,
  };
  const wake = () => {
    for (const one of wakes) one();
  };
  function happen(): string {
    const name = `event-${names.length}`;
    names.push(name);
    waiting.push(name);
    wake();
    return name;
  }

  const next = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const end = () => {
        wakes.delete(end);
        resolve();
      };
      wakes.add(end);
      signal.addEventListener('abort', end, { once: true });
    });

  /** Acknowledged only after the run is durable; anything else goes back to the head of the queue. */
  function settle(event: string, outcome: FireOutcome | undefined): void {
    if (outcome && outcome.kind !== 'lost') acknowledged.add(event);
    else {
      waiting.unshift(event);
      wake();
    }
  }

  async function read({ signal, fire }: Pick<ConnectionCall<unknown>, 'signal' | 'fire'>): Promise<void> {
    while (!signal.aborted) {
      const event = waiting.shift();
      if (event === undefined) {
        await next(signal);
        continue;
      }
      const outcome = await fire({ cause: event, input: { event } }).catch((error: unknown) => {
        settle(event, undefined);
        throw error;
      });
      settle(event, outcome);
      if (outcome.kind === 'lost') return;
    }
  }

  const definition = defineNode({
    ...plain,
    type: 'testQueue',
    title: 'Queue',
    params: z.object({ channel: z.string().optional(), ...eventKeyFields('$input.event') }),
  });
  const receiver = receive(definition, {
    kind: 'connection',
    source: null,
    causes_kept_days: 1,
    retry_ms: () => 10,
    async connect(call) {
      if (source.failing !== undefined) throw new NodeFailure({ kind: 'upstream', message: source.failing });
      source.readers += 1;
      call.connected();
      try {
        await read(call);
      } finally {
        source.readers -= 1;
      }
    },
  });
  return { receiver, source };
}
