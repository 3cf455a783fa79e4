import { implement } from '../implement.ts';
import { triggerOutput } from '../kit/triggers/webhook-trigger.ts';
import { calTrigger } from './definition.ts';

export const runCalTrigger = implement(calTrigger, ({ run_input }) => {
  const received = triggerOutput(run_input, ['event', 'trigger_event', 'payload', 'headers', 'triggered_at']);
  const { trigger_event, ...output } = received;
  return { output: trigger_event === undefined ? output : { ...output, triggerEvent: trigger_event } };
});
