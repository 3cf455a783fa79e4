import type { RunOptions } from '@millrace/engine';
import type { RunBegin } from '../../model/run.ts';
import type { RunObserver } from '../../stream/frame-log.ts';
import type { PublishedWorkflow } from '../../workflows/published-workflow.ts';
import type { RunEnvironment } from '../environment.ts';
import type { RunSecretsMask } from '../secrets/secrets-mask.ts';
import type { Progress } from '../start/resume.ts';

/** Everything that is known of a run before its first step on this process. */
export interface RunStart {
  readonly environment: RunEnvironment;
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
