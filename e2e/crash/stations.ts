import { bundlePrograms } from './bundle.ts';
import { type Prepared, prepare, type Stage } from './scenario.ts';
import { startAiServices } from './services/ai.ts';
import { startSink } from './services/sink.ts';
import {
  createDatabase,
  openServer,
  type Storage,
  type StorageServer,
  withDatabase,
} from './services/storage.ts';

/** Everything that a scenario strikes or counts, and that no other scenario may use meanwhile. */
export interface Station {
  readonly stage: Stage;
  readonly server: StorageServer | undefined;
  /** Gives work a copy of one prepared database on the server, for as long as it takes. Throws where there is no server. */
  withCopy<T>(work: (prepared: Prepared) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

async function openStation(programs: string): Promise<Station> {
  const sink = await startSink();
  const stage: Stage = { programs, sink, ai: await startAiServices(sink) };
  const server = await openServer();
  let template: Storage | undefined;
  let making: Promise<{ template: Storage; prepared: Prepared }> | undefined;
  const makeTemplate = async (from: StorageServer) => {
    const made = await createDatabase(from);
    template = made;
    return { template: made, prepared: await prepare(stage, made) };
  };
  return {
    stage,
    server,
    async withCopy(work) {
      if (!server) throw new Error('there is no server to copy a database on');
      making ??= makeTemplate(server);
      const { template: copied, prepared } = await making;
      const copy = await createDatabase(server, copied);
      return withDatabase(copy, (storage) => work({ ...prepared, storage }));
    },
    async close() {
      await template?.close().catch((error: unknown) => {
        console.log(`a database of the harness is left on its server: ${String(error)}`);
      });
      await server?.close();
      await stage.sink.close();
      await stage.ai.close();
    },
  };
}

export async function openStations(count: number): Promise<Station[]> {
  const programs = await bundlePrograms();
  return Promise.all(Array.from({ length: count }, () => openStation(programs)));
}

/**
 * Does each piece of work once, as many at a time as there are stations. Resolves to the findings, in the order of the work. When
 * one throws, the stations end what they are at, and begin nothing else.
 */
export async function workThrough(
  stations: readonly Station[],
  work: readonly ((station: Station) => Promise<string[]>)[],
): Promise<string[]> {
  const found: string[][] = [];
  const left = [...work.entries()];
  const ended = await Promise.allSettled(
    stations.map(async (station) => {
      for (let next = left.shift(); next; next = left.shift()) {
        const [at, judge] = next;
        try {
          found[at] = await judge(station);
        } catch (error) {
          left.length = 0;
          throw error;
        }
      }
    }),
  );
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
  return found.flat();
}
