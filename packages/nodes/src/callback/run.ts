import { implement } from '../implement.ts';
import { callback } from './definition.ts';

const KEY = 'call';

export const runCallback = implement(callback, async (call) => {
  const { timeoutSeconds, title, message } = call.params;
  const due_at = call.started_at_ms + timeoutSeconds * 1000;
  const { decision, data } = await call.wait(KEY, {
    kind: 'callback',
    due_at,
    has_address: true,
    decisions: ['called'],
    payload: { url: call.buildWaitAddress(KEY), expires_at: new Date(due_at).toISOString(), title, message },
  });
  return decision === 'called'
    ? { output: data, ports: ['called'] }
    : { output: { timed_out: true }, ports: ['timed_out'] };
});
