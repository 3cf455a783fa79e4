// Every node definition, one line each. Browser-safe: imports definitions only.
import { type Catalog, createCatalog } from '@millrace/engine';
import { condition } from './condition/definition.ts';
import { consoleLog } from './console-log/definition.ts';
import { cron } from './cron/definition.ts';
import { disableNode } from './disable-node/definition.ts';
import { errorHandler } from './error-handler/definition.ts';
import { execute } from './execute/definition.ts';
import { htmlOutputMapper } from './html-output-mapper/definition.ts';
import { http } from './http/definition.ts';
import { jsonOutputMapper } from './json-output-mapper/definition.ts';
import { loop } from './loop/definition.ts';
import { merge } from './merge/definition.ts';
import { output } from './output/definition.ts';
import { set } from './set/definition.ts';
import { sticky } from './sticky/definition.ts';
import { switchNode } from './switch/definition.ts';
import { textInput } from './text-input/definition.ts';
import { throwError } from './throw-error/definition.ts';
import { variable } from './variable/definition.ts';
import { wait } from './wait/definition.ts';

export const catalog: Catalog = createCatalog([
  textInput,
  cron,
  condition,
  switchNode,
  loop,
  merge,
  wait,
  execute,
  throwError,
  errorHandler,
  disableNode,
  consoleLog,
  set,
  variable,
  http,
  output,
  jsonOutputMapper,
  htmlOutputMapper,
  sticky,
]);
