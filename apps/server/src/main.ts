import { setFlagsFromString } from 'node:v8';
import { openDatabase } from './compose-database.ts';
import { ConfigError, readConfig } from './config.ts';
import { chooseLogFormat, createLog } from './core/log/log.ts';

// V8 learns from a busy start that what a run allocates lives long, and allocates it in the old generation from then on:
// each finished run then stays until a full collection, and collections of the young generation take four times as long.
setFlagsFromString('--no-allocation-site-pretenuring');
// The embedded database's code is compiled with more effort as it turns out to be used much. Several compilers at once take
// the processor from the rest of the start: with one, a start on existing data takes a sixth less of it.
setFlagsFromString('--wasm-num-compilation-tasks=1');

async function start(): Promise<void> {
  const config = readConfig(process.env);
  const reader = {
    isTerminal: process.stdout.isTTY,
    npmScript: process.env['npm_lifecycle_event'],
  };
  const log = createLog(config.LOG_LEVEL, chooseLogFormat(config.LOG_FORMAT, reader));
  // The database opens in a thread of its own while this one reads the rest of the program, which takes about as long.
  const opening = openDatabase(config, log);
  // A failure is reported to the code that awaits it; until then it must not count as unhandled.
  opening.catch(() => undefined);
  const { serve } = await import('./serve.ts');
  await serve(config, { log, opening });
}

start().catch((error: unknown) => {
  const lines =
    error instanceof ConfigError ? error.problems : [error instanceof Error ? error.message : String(error)];
  process.stderr.write(`Millrace cannot start:\n${lines.map((line) => `  - ${line}`).join('\n')}\n`);
  process.exit(1);
});
