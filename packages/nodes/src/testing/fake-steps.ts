import { type Decision, type JsonObject, NodeSteps } from '@millrace/engine';
import type { Steps } from '../implement.ts';
import { TEST_NOW, type Trace } from './fake-services.ts';

/** How waits are decided, by their names; others by the clock. `none`: nothing is decided. */
export type Decided = Readonly<Record<string, Pick<Decision, 'decision' | 'data'>>> | 'none';

export interface FakeSteps {
  readonly trace: Trace;
  readonly decisions?: Decided | undefined;
  readonly idempotency_key: string;
  readonly signal: AbortSignal;
  readonly onProgress?: ((data: JsonObject) => void) | undefined;
}

function decisionFor(decisions: Decided, key: string): Decision | undefined {
  if (decisions === 'none') return undefined;
  const { decision, data } = decisions[key] ?? { decision: 'timed_out', data: null };
  return { decision, data, decided_at_ms: TEST_NOW };
}

/** Steps of one node that nothing is recorded of. */
export function fakeSteps({ trace, decisions = {}, idempotency_key, signal, onProgress }: FakeSteps): {
  steps: NodeSteps;
  calls: Steps;
} {
  const steps = new NodeSteps({
    recorded: () => [],
    decided: (key) => decisionFor(decisions, key),
    run: async (key, _effect, work) => {
      trace.steps.push(key);
      return work();
    },
    open: async (key, request) => void trace.waits.push({ key, ...request }),
    whenIdle: (look) => void setImmediate(look),
    attempt: 1,
  });
  const calls: Steps = {
    step: (key, effect, work) =>
      steps.step(key, effect, () => work({ idempotency_key: `${idempotency_key}${key}`, signal })),
    wait: (key, request) => steps.wait(key, request),
    addressOf: (key, door = 'callback') => `https://test/${door}s/${key}`,
    progress: (data) => onProgress?.(data),
  };
  return { steps, calls };
}
