export { losesDigits, parseExactJson } from './exact-json.ts';
export * from './expression/index.ts';
export { type LinearPattern, linearPattern } from './expression/values/linear-pattern.ts';
export {
  isBlockedKey,
  isJsonObject,
  type Json,
  type JsonObject,
  printValue,
  readJsonText,
  readText,
  readTextAt,
} from './json.ts';
export { createCatalog } from './node-type/catalog.ts';
export {
  type Catalog,
  defineNode,
  type Effect,
  isTrigger,
  type NodeDefinition,
  type NodeFamily,
  type NodeTraits,
  type ParamProblem,
  type Ports,
  receivingKind,
  resolveEffect,
  type StepEffect,
  type TriggerKind,
} from './node-type/define-node.ts';
export { type DescribedNode, type DescribedParam, describe, storedParams } from './node-type/describe.ts';
export {
  type FieldKind,
  type FieldMeta,
  type FieldOptions,
  field,
  fieldMeta,
  isShown,
  nameOfField,
} from './node-type/fields.ts';
export type { IconShape } from './node-type/icon.ts';
export { translateCatalog } from './node-type/translate.ts';
export { plainWords } from './plain-words.ts';
export { answerWords } from './run/answer-words.ts';
export { MAX_RUN_CHARACTERS } from './run/bounds.ts';
export { drive, type RunHost } from './run/drive.ts';
export { RunMachine, type StepResult } from './run/machine.ts';
export {
  type Failure,
  isLasting,
  NodeFailure,
  type NodeResult,
  OversizedAnswer,
  RefusedCall,
  type Suspension,
  type VariableWrite,
  type WaitDoor,
  type WaitKind,
} from './run/node-run.ts';
export {
  type Ambient,
  DEFAULT_MAX_NODE_EXECUTIONS,
  type RunContext,
  type RunOptions,
} from './run/options.ts';
export type {
  EndStatus,
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
  StepFinished,
  Wait,
} from './run/record/events.ts';
export {
  type CalledNode,
  historyRows,
  type NodeResultRow,
  type RunFact,
  toRow,
  toStep,
} from './run/record/history.ts';
export { cancelledOutcome } from './run/record/outcome.ts';
export { placeKey, type ReplayPlace } from './run/replay/before.ts';
export {
  type PastResult,
  planReplay,
  type RefusedReplay,
  type Replay,
  type ReplayFrom,
  type ReplayRefusal,
} from './run/replay/plan.ts';
export type { NodeInput } from './run/scope.ts';
export { nodesUpTo } from './run/state/part.ts';
export type { PausedNode } from './run/state/run-state.ts';
export { type Decision, NodeSteps, type StepsHost, type StoredStep, type WaitRequest } from './run/steps.ts';
export { type Called, NodeTask } from './run/task.ts';
export { createMasker, type Masker } from './secrets/mask.ts';
export type { TextMask } from './secrets/stream-mask.ts';
export { TextCache } from './text-cache.ts';
export { readTruth } from './truth.ts';
export { isToolEdge, TOOL_INPUT, TOOL_OUTPUT } from './workflow/compile/edges/handles.ts';
export { eventKeyProblem } from './workflow/compile/event-key.ts';
export { compileGraph } from './workflow/compile/graph.ts';
export { findGuards } from './workflow/compile/guards.ts';
export { findNodeCredentials } from './workflow/compile/node-credentials.ts';
export { compileWorkflow } from './workflow/compile.ts';
export type {
  CompiledEdge,
  CompiledLoop,
  CompiledNode,
  CompiledParams,
  CompiledWorkflow,
  FieldReference,
  GraphNode,
  Guard,
  Params,
  Problem,
  StoredLink,
  WorkflowGraph,
} from './workflow/compiled.ts';
export {
  type Connection,
  type ConnectionRefusal,
  connectionRefusal,
  offersJoins,
  resolvePorts,
} from './workflow/connect.ts';
export { type ExportedWorkflow, exportDocument, exportFileName } from './workflow/export.ts';
export {
  findN8nExport,
  ImportError,
  type ImportedWorkflow,
  type ImportWarning,
  isN8nExport,
  readImport,
  requireCount,
} from './workflow/importing/import.ts';
export { type ImportLine, sortImportLines } from './workflow/importing/import-lines.ts';
export { type RespelledHandle, respelledHandles } from './workflow/importing/normal-handles.ts';
export {
  encodeNodeAddress,
  hasAddress,
  NODE_ADDRESS_BYTES,
  renewAddresses,
} from './workflow/importing/renew-addresses.ts';
export { type ReadInputs, readInputs, readTypedFields, type TypedField } from './workflow/input-fields.ts';
export { findCompiledProblems, problems } from './workflow/problems.ts';
export { nameInput, renameLabel } from './workflow/rename.ts';
export {
  DOCUMENT_LIMITS,
  type WorkflowDocument,
  type WorkflowEdge,
  type WorkflowNode,
  workflowDocument,
  workflowEdge,
  workflowNode,
} from './workflow/schema.ts';
export { summarize, type WorkflowSummary } from './workflow/summarize.ts';
