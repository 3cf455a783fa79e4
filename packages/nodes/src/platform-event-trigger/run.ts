import { implement } from '../implement.ts';
import { triggerOutput } from '../kit/triggers/webhook-trigger.ts';
import { platformEventTrigger } from './definition.ts';

export const runPlatformEventTrigger = implement(platformEventTrigger, ({ run_input }) => ({
  output: triggerOutput(run_input, ['events', 'count', 'triggered_at']),
}));
