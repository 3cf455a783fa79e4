import { AppError } from '../../core/app-error.ts';
import type { WorkflowSettings } from '../workflows/published-workflow.ts';
import { type RefusalNeeds, recordWithoutRun, type WithoutRun } from './record-refusal.ts';

const RETRY_SECONDS = '1';

/** A run does not start because its workflow limits how many are under way or wait. */
export class NoPlace extends AppError {
  readonly workflow_id: string;

  constructor({ id }: WorkflowSettings, message: string) {
    super('rate_limited', message, { headers: { 'Retry-After': RETRY_SECONDS } });
    this.workflow_id = id;
  }
}

const runs = (count: number) => (count === 1 ? 'one run' : `${count} runs`);

function describeLimits({ concurrency_limit = 1, concurrency_key, queue_limit }: WorkflowSettings): string {
  const which = concurrency_key === undefined ? '' : ' with this key';
  const waiting = queue_limit === undefined ? '' : ` and ${queue_limit} waiting`;
  return `The workflow may have ${runs(concurrency_limit)}${which} under way at once${waiting}; try again later`;
}

/** Leaves a row in history, as a call over the rate limit does. */
export function refusePlace(needs: RefusalNeeds, refused: WithoutRun): NoPlace {
  const message = describeLimits(refused.workflow.settings);
  recordWithoutRun(needs, refused, { status: 'rate_limited', outputs: { error: message } });
  return new NoPlace(refused.workflow.settings, message);
}
