export { runTestNode, testCatalog, testDefinitions } from './catalog.ts';
export { type DrawnNodes, draw } from './draw.ts';
export { LoneTask, type Surroundings } from './lone-task.ts';
export {
  drain,
  type EndedRun,
  type RunSettings,
  runToEnd,
  still,
  summary,
  testHost,
  testOptions,
} from './run-to-end.ts';
