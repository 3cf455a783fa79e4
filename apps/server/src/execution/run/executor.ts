import type { Failure, JsonObject, NodeTask, StepResult } from '@millrace/engine';
import type { CallHost, GrowingText } from '@millrace/nodes/runtime';
import type { RunBegin } from '../model/run.ts';
import type { IntentRecord } from '../model/step.ts';
import type { PublishedWorkflow } from '../workflows/published-workflow.ts';
import type { EventRecorder } from './executor/event-recorder.ts';
import type { RunSlot } from './executor/run-slot.ts';
import type { ExecutorNeeds } from './executor/run-start.ts';
import type { RunSteps } from './node/steps/run-steps.ts';
import type { ReturnedContent } from './outside-content.ts';
import type { RunSecretsMask } from './secrets/secrets-mask.ts';
import type { Progress } from './start/resume.ts';

/** The executor of a run in this process, as the nodes, the steps and the end of the run use it. */
export interface Executor extends ExecutorNeeds {
  readonly workflow: PublishedWorkflow;
  readonly begin: RunBegin;
  readonly run_id: string;
  readonly workflow_id: string;
  readonly root_run_id: string;
  readonly depth: number;
  readonly run_as: string;
  readonly secrets: RunSecretsMask;
  /** The progress that a former process made on the run; absent for a new one. */
  readonly progress: Progress | undefined;
  readonly slot: RunSlot;
  readonly steps: RunSteps;
  readonly recorder: EventRecorder;
  readonly call_host: CallHost;
  readonly returned_content: ReturnedContent;
  /** Whether the run has read content from outside so far, or began with it. */
  readonly has_read_outside: boolean;
  /** Aborted when the run ends: anything a node waits for must stop then. */
  readonly signal: AbortSignal;
  now(): number;
  /** Makes the run known to the journal and to this process; from here on facts are handed over as they come. */
  open(): void;
  /** The run ends with this error before another node begins. */
  stop(failure: Failure): void;
  /** Stops without an outcome, because nothing can be stored or the run belongs to another process. */
  fail(error: Error): void;
  /** @throws Error when the run was handed over or lost: anything written from then on would be written twice */
  requireHeld(): void;
  /** A step of the node is done. */
  recordStep(task: NodeTask, result: StepResult): void;
  /** Notes a start, without waiting for it to be stored. */
  noteStart(intent: IntentRecord): void;
  /** When the node of this round first began, also on a process before this one. */
  firstStart(task: NodeTask): number;
  /** Logs an error that is a bug, not a failure of the node. */
  crashed(error: unknown, task: NodeTask): void;
  /** Shown to those who follow the run; not kept. */
  showProgress(task: NodeTask, data: JsonObject): void;
  /** The same for a text that grows. */
  growingText(task: NodeTask, step: string): GrowingText;
}
