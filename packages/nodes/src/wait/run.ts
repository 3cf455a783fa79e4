import { implement } from '../implement.ts';
import { asObject } from '../kit/values/pass-through.ts';
import { wait } from './definition.ts';

/** A longer pause costs a stored row; a shorter one is not worth the way to the database and back. */
const LONGEST_IN_MEMORY_MS = 60_000;

export const runWait = implement(wait, async (call) => {
  const { params, first_input, started_at_ms, services } = call;
  const due_at = started_at_ms + params.duration;
  if (params.duration > LONGEST_IN_MEMORY_MS) {
    const payload = { waits_until: new Date(due_at).toISOString() };
    await call.wait('until', { kind: 'timer', due_at, payload, decisions: [] });
  } else {
    await call.step('sleep', 'read', async ({ signal }) => {
      await services.sleepUntil(due_at, signal);
      return null;
    });
  }
  return { output: asObject(first_input) };
});
