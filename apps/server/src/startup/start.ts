import { ConfigError, readConfig } from '../config.ts';
import { chooseLogFormat, createLog } from '../core/log/log.ts';
import { type EngineThread, openDatabase } from './compose-database.ts';

async function startWith(engineThread: EngineThread | undefined): Promise<void> {
  const config = readConfig(process.env);
  const reader = {
    isTerminal: process.stdout.isTTY,
    npmScript: process.env['npm_lifecycle_event'],
  };
  const log = createLog(config.LOG_LEVEL, chooseLogFormat(config.LOG_FORMAT, reader));
  // The database opens while this thread loads the rest of the program, which takes about as long.
  const opening = openDatabase(config, log, engineThread);
  const { serve } = await import('./serve.ts');
  await serve(config, { log, opening });
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/** Serves by the settings of the environment, or says why it cannot and ends the process. */
export async function start(engineThread: EngineThread | undefined): Promise<void> {
  try {
    await startWith(engineThread);
  } catch (error) {
    const lines = error instanceof ConfigError ? error.problems : [describeError(error)];
    process.stderr.write(`Millrace cannot start:\n${lines.map((line) => `  - ${line}`).join('\n')}\n`);
    process.exit(1);
  }
}
