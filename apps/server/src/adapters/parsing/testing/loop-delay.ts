import { monitorEventLoopDelay } from 'node:perf_hooks';
import { HOSTILE_KINDS, hostileDocument } from '@millrace/nodes/testing/hostile-documents';
import type { DocumentParsers, OpenParsers } from '../../../ports/parsers.ts';

export { HOSTILE_KINDS };

const NANOSECONDS = 1_000_000;
const RESOLUTION_MS = 5;

const turns = () => new Promise((resolve) => setTimeout(resolve, 4 * RESOLUTION_MS));

/** Longest time, in milliseconds, for which the event loop did nothing else while the work was done. */
export async function measureLoopDelay(work: () => Promise<unknown>): Promise<number> {
  const gauge = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  gauge.enable();
  // The gauge compares turns of the loop: one has to come before the work and one after it.
  await turns();
  await work();
  await turns();
  gauge.disable();
  return gauge.max / NANOSECONDS;
}

export interface FuzzOptions {
  readonly kind: string;
  readonly count: number;
  readonly most_characters: number;
  /** Time limit for one document, even where the product allows more. */
  readonly time_ms: number;
  /** Documents that are parsed at the same time. */
  readonly at_once: number;
}

export interface FuzzOutcome {
  readonly delay_ms: number;
  readonly read: number;
  /** Stopped by the time or memory limit. */
  readonly given_up: number;
  /** Not valid documents of their kind. */
  readonly refused: number;
}

/** Reads documents that are slow on purpose and measures how long the event loop was blocked. */
export async function fuzz(parsers: OpenParsers, options: FuzzOptions): Promise<FuzzOutcome> {
  const { kind, count, time_ms, most_characters, at_once } = options;
  let [next, read, given_up, refused] = [0, 0, 0, 0];
  const readAll = async () => {
    while (next < count) {
      const args = hostileDocument(kind, { seed: next++, most_characters });
      try {
        // Guarantee: documents are made by the name of their parser.
        await parsers.run(kind as keyof DocumentParsers, args as never, { what: 'The document', time_ms });
        read += 1;
      } catch (error) {
        const message = error instanceof Error ? error.message : '';
        if (/took longer|needs more memory/.test(message)) given_up += 1;
        else refused += 1;
      }
    }
  };
  const delay_ms = await measureLoopDelay(() => Promise.all(Array.from({ length: at_once }, readAll)));
  return { delay_ms, read, given_up, refused };
}
