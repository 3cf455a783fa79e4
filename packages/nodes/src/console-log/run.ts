import { toText } from '@millrace/engine';
import { implement } from '../implement.ts';
import { evaluated } from '../kit/values/mapped-object.ts';
import { asObject } from '../kit/values/pass-through.ts';
import { consoleLog } from './definition.ts';

/** Keeps one huge message from filling the log. */
const MAX_LINE = 10_000;

export const runConsoleLog = implement(consoleLog, ({ params, first_input, services }) => {
  const logMessage = evaluated(params.logMessage);
  services.log('info', toText(logMessage).slice(0, MAX_LINE));
  return { output: { ...asObject(first_input), logMessage } };
});
