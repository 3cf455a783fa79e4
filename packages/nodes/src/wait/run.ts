import { implement } from '../implement.ts';
import { asObject } from '../shared/pass-through.ts';
import { wait } from './definition.ts';

export const runWait = implement(wait, async ({ params, first_input, started_at_ms, services, signal }) => {
  await services.sleepUntil(started_at_ms + params.duration, signal);
  return { output: asObject(first_input) };
});
