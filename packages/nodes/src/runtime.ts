// Every node implementation, one line each. Server only.
import { runCondition } from './condition/run.ts';
import { runConsoleLog } from './console-log/run.ts';
import { runCron } from './cron/run.ts';
import { runDisableNode } from './disable-node/run.ts';
import { runErrorHandler } from './error-handler/run.ts';
import { runExecute } from './execute/run.ts';
import { runHtmlOutputMapper } from './html-output-mapper/run.ts';
import { runHttp } from './http/run.ts';
import type { NodeImplementation } from './implement.ts';
import { runJsonOutputMapper } from './json-output-mapper/run.ts';
import { runLoop } from './loop/run.ts';
import { runMerge } from './merge/run.ts';
import { runOutput } from './output/run.ts';
import { runSet } from './set/run.ts';
import { runSwitch } from './switch/run.ts';
import { runTextInput } from './text-input/run.ts';
import { runThrowError } from './throw-error/run.ts';
import { runVariable } from './variable/run.ts';
import { runWait } from './wait/run.ts';

export type { NodeCall, NodeImplementation } from './implement.ts';
export type * from './services.ts';

const ALL: readonly NodeImplementation[] = [
  runTextInput,
  runCron,
  runCondition,
  runSwitch,
  runLoop,
  runMerge,
  runWait,
  runExecute,
  runThrowError,
  runErrorHandler,
  runDisableNode,
  runConsoleLog,
  runSet,
  runVariable,
  runHttp,
  runOutput,
  runJsonOutputMapper,
  runHtmlOutputMapper,
];

/** Implementations by node type. Types that no run touches, such as notes, have none. */
export const implementations: ReadonlyMap<string, NodeImplementation> = new Map(
  ALL.map((implementation) => [implementation.definition.type, implementation]),
);
