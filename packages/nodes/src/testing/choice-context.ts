import type { ChoiceContext } from '../implement.ts';
import type { Egress } from '../services.ts';

/** Who asks for a list of choices in a test: a caller that never waits. */
export function choiceContext(http: Egress, config: ChoiceContext['config']): ChoiceContext {
  return {
    config,
    caller: {
      http,
      now: Date.now,
      sleepUntil: () => Promise.reject(new Error('no pauses')),
      signal: new AbortController().signal,
      max_wait_ms: 0,
      idempotency_key: '',
    },
  };
}
