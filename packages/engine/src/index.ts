export * from './expression/index.ts';
export { isBlockedKey, isJsonObject, type Json, type JsonObject } from './json.ts';
export { createCatalog } from './node-type/catalog.ts';
export {
  type Catalog,
  defineNode,
  type Effect,
  type NodeDefinition,
  type NodeFamily,
  type NodeTraits,
  type Ports,
} from './node-type/define-node.ts';
export { type DescribedNode, type DescribedParam, describe, storedParams } from './node-type/describe.ts';
export { type FieldKind, type FieldMeta, type FieldOptions, field, fieldMeta } from './node-type/fields.ts';
export { plainWords } from './plain-words.ts';
export { MAX_RUN_CHARACTERS } from './run/bounds.ts';
export { drive, type RunHost } from './run/drive.ts';
export type {
  FailedNode,
  NodeFinished,
  NodeRetried,
  NodeStarted,
  NodeSuspended,
  Outcome,
  OutputEmitted,
  RecordedResult,
  RunEvent,
  RunFinished,
  RunStarted,
  Wait,
} from './run/events.ts';
export { type FoldedRun, foldRun, type NodeResultRow, RunFold, rowOf } from './run/fold.ts';
export { type Recorded, RunMachine } from './run/machine.ts';
export {
  type Failure,
  NodeFailure,
  type NodeResult,
  type Suspension,
  type VariableWrite,
} from './run/node-run.ts';
export {
  type Ambient,
  DEFAULT_MAX_NODE_EXECUTIONS,
  type RunContext,
  type RunOptions,
} from './run/options.ts';
export type { RunSnapshot } from './run/state/snapshot.ts';
export { type NodeInput, NodeTask } from './run/task.ts';
export { createMasker, type Masker } from './secrets/mask.ts';
export type {
  CompiledEdge,
  CompiledLoop,
  CompiledNode,
  CompiledParams,
  CompiledWorkflow,
  FieldReference,
  Params,
  Problem,
  StoredLink,
} from './workflow/compiled.ts';
export { type ExportedWorkflow, exportDocument, exportFileName } from './workflow/export.ts';
export { compileWorkflow } from './workflow/graph.ts';
export { ImportError, type ImportedWorkflow, type ImportWarning, readImport } from './workflow/import.ts';
export { problems, problemsOf } from './workflow/problems.ts';
export { renameLabel } from './workflow/rename.ts';
export {
  DOCUMENT_LIMITS,
  type WorkflowDocument,
  type WorkflowEdge,
  type WorkflowNode,
  workflowDocument,
  workflowEdge,
  workflowNode,
} from './workflow/schema.ts';
export { type InputField, summarize, type WorkflowSummary } from './workflow/summarize.ts';
