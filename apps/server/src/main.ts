import { setFlagsFromString } from 'node:v8';
import { startEngineThread } from './adapters/pglite/threaded-engine.ts';

// V8 learns from a busy start that what a run allocates lives long, and allocates it in the old generation from then on:
// each finished run then stays until a full collection, and collections of the young generation take four times as long.
setFlagsFromString('--no-allocation-site-pretenuring');
// The embedded database's code is compiled with more effort as it turns out to be used much. Several compilers at once take
// the processor from the rest of the start: with one, a start on existing data takes a sixth less of it.
setFlagsFromString('--wasm-num-compilation-tasks=1');

// The engine takes as long to load as the rest of the program and needs no settings for it, so it starts before they are read.
const { DATABASE_URL, DATABASE_URL_FILE } = process.env;
const engineThread = DATABASE_URL || DATABASE_URL_FILE ? undefined : startEngineThread();
const { start } = await import('./startup/start.ts');
await start(engineThread);
