import type { Admit } from '../../admission/admission.ts';
import type { AccessCache } from '../../workflows/access-cache.ts';
import type { WorkflowCache } from '../../workflows/workflow-cache.ts';
import type { Descendants } from '../descendants.ts';
import type { PublicAddress } from '../start/base-url.ts';
import type { StartRun } from '../start/run-request.ts';

/** How a run finds other workflows and starts runs of them. */
export interface RunCalls extends PublicAddress {
  readonly workflows: WorkflowCache;
  readonly access: AccessCache;
  readonly admit: Admit;
  readonly start: StartRun;
  readonly descendants: Descendants;
}
