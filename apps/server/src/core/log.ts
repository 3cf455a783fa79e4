import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';

/** Parameters of a failed statement hold user data and sealed secrets; only the statement itself may be logged. */
function withoutParameters(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const told = stdSerializers.err(error);
  if (!('params' in error)) return told;
  const { params: _, ...rest } = told as Record<string, unknown>;
  const [message = ''] = error.message.split('\nparams:');
  return { ...rest, message, stack: error.stack?.slice(error.stack.indexOf('\n    at ')) };
}

/** The log of the process: JSON lines on standard output by default. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = { level, serializers: { err: withoutParameters, error: withoutParameters } };
  return destination ? pino(options, destination) : pino(options);
}
