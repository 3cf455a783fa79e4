import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet } from '../fleet.ts';
import { getGraphKind, type StartedKind } from '../kinds.ts';
import type { Sink } from '../services/sink.ts';
import { answerAddress, type CallbackAnswer } from './workload.ts';

/** A call to the address of a run that asks finds it in memory, on its way out of it, or waiting. */
const LATEST_ANSWER_MS = 400;
const LOOK_EVERY_MS = 50;

/** Calls the addresses of runs that ask, whenever the sink learns of them. */
export interface Answering {
  /** Once per run. */
  expect(label: string, kind: StartedKind): void;
  /** Ends when every call that was begun is answered. The answers to callers, by the label of the run. */
  end(): Promise<ReadonlyMap<string, readonly CallbackAnswer[]>>;
}

export function startAnswering(fleet: Fleet, sink: Pick<Sink, 'addresses'>): Answering {
  const expected = new Map<string, StartedKind>();
  const answers = new Map<string, readonly CallbackAnswer[]>();
  const begun: Promise<void>[] = [];

  async function answer(label: string, kind: StartedKind, address: string): Promise<void> {
    const door = getGraphKind(kind).asks;
    if (!door) return;
    await sleep(Math.random() * LATEST_ANSWER_MS);
    answers.set(label, await answerAddress(fleet, door, address));
  }

  const look = setInterval(() => {
    for (const [label, kind] of expected) {
      const address = sink.addresses.get(label);
      if (address === undefined) continue;
      expected.delete(label);
      begun.push(answer(label, kind, address));
    }
  }, LOOK_EVERY_MS);

  return {
    expect(label, kind) {
      if (getGraphKind(kind).asks) expected.set(label, kind);
    },
    async end() {
      clearInterval(look);
      await Promise.all(begun);
      return answers;
    },
  };
}
