import { implement } from '../implement.ts';
import { triggerOutput } from '../kit/triggers/webhook-trigger.ts';
import { websocketTrigger } from './definition.ts';

const UNUSED = { message: null, connection: null, close: null };

export const runWebsocketTrigger = implement(websocketTrigger, ({ run_input }) => {
  const output = triggerOutput(run_input, [
    'eventName',
    'url',
    'triggered_at',
    'message',
    'connection',
    'close',
  ]);
  return { output: Object.keys(output).length === 0 ? {} : { ...UNUSED, ...output } };
});
