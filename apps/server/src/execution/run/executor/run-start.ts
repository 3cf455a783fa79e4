import type { RunOptions } from '@millrace/engine';
import type { RunBegin } from '../../model/run.ts';
import type { RunObserver } from '../../stream/frame-log.ts';
import type { PublishedWorkflow } from '../../workflows/published-workflow.ts';
import type { NodeNeeds } from '../node/node-needs.ts';
import type { RunCalls } from '../node/run-calls.ts';
import type { RunKeeping } from '../run-keeping.ts';
import type { RunSecretsMask } from '../secrets/secrets-mask.ts';
import type { Progress } from '../start/resume.ts';

/** Shared by the executors of all runs. */
export interface ExecutorNeeds {
  readonly keeping: RunKeeping;
  readonly calls: RunCalls;
  readonly nodes: NodeNeeds;
}

/** Everything that is known of a run before its first step on this process. */
export interface RunStart extends ExecutorNeeds {
  readonly workflow: PublishedWorkflow;
  readonly begin: RunBegin;
  readonly run_as: string;
  readonly options: RunOptions;
  readonly secrets: RunSecretsMask;
  readonly observer?: RunObserver | undefined;
  /** The progress that a former process made on the run; absent for a new one. */
  readonly progress?: Progress | undefined;
  readonly parent_signal?: AbortSignal | undefined;
}
