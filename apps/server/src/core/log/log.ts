import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { textLines } from './log-text.ts';

/** Parameters of a failed statement hold user data and sealed secrets; only the statement itself may be logged. */
function withoutParameters(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const told = stdSerializers.err(error);
  if (!('params' in error)) return told;
  const { params: _, ...rest } = told as Record<string, unknown>;
  const [message = ''] = error.message.split('\nparams:');
  return { ...rest, message, stack: error.stack?.slice(error.stack.indexOf('\n    at ')) };
}

export type LogFormat = 'auto' | 'json' | 'text';

/** Who reads standard output: a person at a terminal or in front of `npm start`, else a machine. */
export function chooseLogFormat(
  wanted: LogFormat,
  { isTerminal, npmScript }: { isTerminal: boolean; npmScript: string | undefined },
): Exclude<LogFormat, 'auto'> {
  if (wanted !== 'auto') return wanted;
  return isTerminal || npmScript === 'start' ? 'text' : 'json';
}

/**
 * The log of the process on standard output.
 *
 * @param format lines of JSON or of text, or where the lines of JSON go instead
 */
export function createLog(level: string, format: 'json' | 'text' | DestinationStream = 'json'): Logger {
  const options = { level, serializers: { err: withoutParameters, error: withoutParameters } };
  if (format === 'json') return pino(options);
  return pino(options, format === 'text' ? textLines((text) => void process.stdout.write(text)) : format);
}
