import { newId } from '../../../core/ids.ts';
import { startPolling } from '../../../core/polling.ts';
import type { SseWriter } from '../../../http/sse.ts';
import type { Services } from '../../../services.ts';

type Needs = Pick<Services, 'broadcast' | 'shared_store' | 'log'>;

/** Open event streams of MCP clients. A message may reach another process than the one that holds the stream. */
export interface McpStreams {
  readonly size: number;
  /** Keeps the stream known to all processes until it is closed. */
  open(stream_id: string, opened: OpenedStream): Promise<void>;
  /** Whether a process holds the stream. */
  isOpen(stream_id: string): Promise<boolean>;
  /** Sends a message to the stream, wherever it is; messages of one stream keep their order. */
  send(stream_id: string, message: unknown): void;
  close(): void;
}

export interface OpenedStream {
  readonly writer: SseWriter;
  /** Users that are notified when their tools change. */
  readonly user_id: string;
}

/** Resources are the guides of the tools, so both lists change together. */
const TOOLS_CHANGED = ['tools', 'resources'].map((list) =>
  JSON.stringify({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` }),
);

/** A process that dies takes its streams with it; this is how long they seem to be open. */
const ALIVE_SECONDS = 60;
const REFRESH_MS = 20_000;
/** An answer that nothing fetched by then has no stream any more. */
const ANSWER_SECONDS = 60;

const aliveKey = (stream_id: string) => `mcp:stream:${stream_id}`;
const answerKey = (name: string) => `mcp:answer:${name}`;

/** Runs what belongs to one stream one after another. */
class Queues {
  readonly #last = new Map<string, Promise<void>>();

  add(name: string, work: () => Promise<void>): void {
    const next = (this.#last.get(name) ?? Promise.resolve()).then(work, work);
    this.#last.set(name, next);
    next
      .catch(() => undefined)
      .finally(() => {
        if (this.#last.get(name) === next) this.#last.delete(name);
      });
  }
}

/** Answers that other processes have for streams of this one. Returns what ends it. */
function receiveAnswers(
  { broadcast, shared_store }: Needs,
  local: Pick<ReadonlyMap<string, OpenedStream>, 'has'>,
  { write, lost }: { write(stream_id: string, data: string): void; lost(error: unknown): undefined },
): () => void {
  const incoming = new Queues();
  return broadcast.subscribe('mcp_answer', (payload) => {
    const [stream_id = '', name = ''] = payload.split(' ');
    if (!local.has(stream_id)) return;
    incoming.add(stream_id, async () => {
      const data = await shared_store.take(answerKey(name)).catch(lost);
      if (data !== undefined) write(stream_id, data);
    });
  });
}

/** Notifies the streams of a person whose tools change. Returns what ends it. */
const announceChanges = (broadcast: Needs['broadcast'], local: ReadonlyMap<string, OpenedStream>) =>
  broadcast.subscribe('mcp_tools_changed', (user_id) => {
    for (const opened of local.values()) {
      if (opened.user_id !== user_id) continue;
      for (const data of TOOLS_CHANGED) opened.writer.send({ event: 'message', data });
    }
  });

export function createMcpStreams({ broadcast, shared_store, log }: Needs): McpStreams {
  const local = new Map<string, OpenedStream>();
  const outgoing = new Queues();

  const keepAlive = (stream_id: string) => shared_store.set(aliveKey(stream_id), '1', ALIVE_SECONDS);
  const lost = (error: unknown): undefined => {
    log.warn({ err: error }, 'a message to an MCP stream was lost');
  };
  const unannounced = (error: unknown): undefined => {
    log.warn({ err: error }, 'the other processes may not know which MCP streams are open here');
  };
  const write = (stream_id: string, data: string) =>
    local.get(stream_id)?.writer.send({ event: 'message', data });

  const end = receiveAnswers({ broadcast, shared_store, log }, local, { write, lost });

  const endChanges = announceChanges(broadcast, local);

  return {
    get size() {
      return local.size;
    },
    async open(stream_id, opened) {
      const { writer } = opened;
      local.set(stream_id, opened);
      const work = () => keepAlive(stream_id);
      const stopRefreshing = startPolling({ every_ms: REFRESH_MS, work, onError: unannounced });
      writer.onClose(() => {
        void stopRefreshing();
        local.delete(stream_id);
        shared_store.take(aliveKey(stream_id)).catch(unannounced);
      });
      await keepAlive(stream_id).catch(unannounced);
    },
    async isOpen(stream_id) {
      return local.has(stream_id) || (await shared_store.get(aliveKey(stream_id))) !== undefined;
    },
    send(stream_id, message) {
      const data = JSON.stringify(message);
      if (local.has(stream_id)) {
        write(stream_id, data);
        return;
      }
      outgoing.add(stream_id, async () => {
        const name = newId();
        try {
          await shared_store.set(answerKey(name), data, ANSWER_SECONDS);
          broadcast.publish('mcp_answer', `${stream_id} ${name}`);
        } catch (error) {
          lost(error);
        }
      });
    },
    close() {
      end();
      endChanges();
    },
  };
}
