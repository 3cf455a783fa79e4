import { type Decision, type JsonObject, NodeFailure, NodeSteps, type StoredStep } from '@millrace/engine';
import type { GrowingText, Steps } from '../implement.ts';
import { TEST_NOW, type Trace } from './fake-services.ts';

/** How waits are decided, by their names; others by the clock. `none`: nothing is decided. */
export type Decided = Readonly<Record<string, Pick<Decision, 'decision' | 'data'>>> | 'none';

export interface FakeSteps {
  readonly trace: Trace;
  readonly decisions?: Decided | undefined;
  readonly idempotency_key: string;
  readonly signal: AbortSignal;
  readonly onProgress?: ((data: JsonObject) => void) | undefined;
  /** Recorded facts of the node in the order in which they came to be; new ones are added. */
  readonly book?: StoredStep[];
  readonly attempt?: number;
}

function decisionFor(decisions: Decided, key: string): Decision | undefined {
  if (decisions === 'none') return undefined;
  const { decision, data } = decisions[key] ?? { decision: 'timed_out', data: null };
  return { decision, data, decided_at_ms: TEST_NOW };
}

/** Steps of one attempt of one node. */
export function fakeSteps({
  trace,
  decisions = {},
  idempotency_key,
  signal,
  onProgress,
  book = [],
  attempt = 1,
}: FakeSteps): { steps: NodeSteps; calls: Steps } {
  const steps = new NodeSteps({
    recorded: (key) => book.filter((fact) => fact.key === key),
    decided: (key) => decisionFor(decisions, key),
    run: async (key, _effect, work) => {
      trace.steps.push(key);
      try {
        const output = (await work()) ?? null;
        book.push({ key, attempt, status: 'success', output });
        return output;
      } catch (error) {
        if (error instanceof NodeFailure) {
          const { failure } = error;
          book.push({ key, attempt, status: 'error', output: { error: failure.message }, failure });
        }
        throw error;
      }
    },
    open: async (key, request) => void trace.waits.push({ key, ...request }),
    whenIdle: (look) => void setImmediate(look),
    attempt,
  });
  const growingText = (step: string): GrowingText => ({
    add: (piece) => trace.texts.push({ step, piece }),
    restart: () => trace.texts.push({ step, piece: null }),
    end: () => undefined,
  });
  const calls: Steps = {
    step: (key, effect, work) =>
      steps.step(key, effect, () =>
        work({
          name: key,
          idempotency_key: `${idempotency_key}${key}`,
          signal,
          growingText: () => growingText(key),
        }),
      ),
    wait: (key, request) => steps.wait(key, request),
    addressOf: (key, door = 'callback') => `https://test/${door}s/${key}`,
    progress: (data) => onProgress?.(data),
  };
  return { steps, calls };
}
