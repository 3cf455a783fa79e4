import { implement } from '../implement.ts';
import { asObject } from '../shared/pass-through.ts';
import { consoleLog } from './definition.ts';

/** Keeps one huge message from filling the log. */
const MAX_LINE = 10_000;

export const runConsoleLog = implement(consoleLog, ({ params, first_input, services }) => {
  const message = params.logMessage;
  services.log('info', message.slice(0, MAX_LINE));
  return { output: { ...asObject(first_input), logMessage: message } };
});
