import { FactCache } from '../../core/fact-cache.ts';
import type { Broadcast } from '../../ports/coordination/broadcast.ts';
import type { ChangeClock } from '../../ports/coordination/change-clock.ts';
import type { NowOrLater } from './workflow-cache.ts';
import type { WorkflowRules } from './workflow-rules.ts';

export interface AccessCache {
  /** Whether the user may see and run the workflow (§5.8). Answers at once when it is known. */
  has(workflow_id: string, user_id: string): NowOrLater<boolean>;
  close(): void;
}

export interface AccessCacheOptions {
  readonly canSee: WorkflowRules['canSee'];
  readonly broadcast: Broadcast;
  readonly changes: ChangeClock;
}

const MOST_WORKFLOWS = 20_000;

/** Who may run what, so that a signed-in execute call reads no database. */
export function createAccessCache({ canSee, broadcast, changes }: AccessCacheOptions): AccessCache {
  const facts = new FactCache<boolean>(changes, MOST_WORKFLOWS);
  const ends = [
    broadcast.subscribe('access_changed', (subject) => {
      const [kind, id = ''] = subject.split(':');
      if (kind === 'workflow') facts.forgetGroup(id);
      else facts.forgetKey(id);
    }),
    broadcast.subscribe('workflow_changed', (id) => facts.forgetGroup(id)),
  ];
  return {
    has: (workflow_id, user_id) => facts.get(workflow_id, user_id, () => canSee(user_id, workflow_id)),
    close: () => ends.forEach((end) => end()),
  };
}
