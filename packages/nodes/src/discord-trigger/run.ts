import { implement } from '../implement.ts';
import { triggerOutput } from '../kit/triggers/webhook-trigger.ts';
import { discordTrigger } from './definition.ts';

const FIELDS = ['interaction', 'type', 'data', 'headers', 'triggered_at'];

export const runDiscordTrigger = implement(discordTrigger, ({ run_input }) => ({
  output: triggerOutput(run_input, FIELDS),
}));
