import { implement } from '../implement.ts';
import { triggerOutput } from '../kit/triggers/webhook-trigger.ts';
import { slackTrigger } from './definition.ts';

export const runSlackTrigger = implement(slackTrigger, ({ run_input }) => ({
  output: triggerOutput(run_input, ['event', 'headers']),
}));
