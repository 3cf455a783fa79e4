import { implement } from '../implement.ts';
import { triggerOutput } from '../kit/triggers/webhook-trigger.ts';
import { telegramTrigger } from './definition.ts';

const FIELDS = ['update', 'message', 'callback_query', 'headers', 'triggered_at'];

export const runTelegramTrigger = implement(telegramTrigger, ({ run_input }) => ({
  output: triggerOutput(run_input, FIELDS),
}));
