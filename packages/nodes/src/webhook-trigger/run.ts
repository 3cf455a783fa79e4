import { implement } from '../implement.ts';
import { triggerOutput } from '../kit/triggers/webhook-trigger.ts';
import { webhookTrigger } from './definition.ts';

export const runWebhookTrigger = implement(webhookTrigger, ({ run_input }) => ({
  output: triggerOutput(run_input, ['body', 'headers', 'query', 'method', 'triggered_at']),
}));
