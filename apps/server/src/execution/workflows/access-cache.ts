import { LRUCache } from 'lru-cache';
import type { Broadcast } from '../../ports/broadcast.ts';
import type { ChangeClock } from '../../ports/change-clock.ts';
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

interface Fact {
  readonly allowed: boolean;
  /** Changes that had been seen before it was read. */
  readonly seen: number;
}

/** Who may run what, so that a signed-in execute call reads no database. */
export function createAccessCache({ canSee, broadcast, changes }: AccessCacheOptions): AccessCache {
  const byWorkflow = new LRUCache<string, Map<string, Fact>>({ max: 20_000 });
  let generation = 0;

  function forget(subject: string): void {
    generation += 1;
    const [kind, id = ''] = subject.split(':');
    if (kind === 'workflow') byWorkflow.delete(id);
    else for (const facts of byWorkflow.values()) facts.delete(id);
  }

  async function read(workflow_id: string, user_id: string): Promise<boolean> {
    const started = generation;
    const { seen } = changes;
    const allowed = await canSee(user_id, workflow_id);
    // A change that came while the answer was on its way makes it an answer about the past.
    if (started === generation) {
      const facts = byWorkflow.get(workflow_id) ?? new Map<string, Fact>();
      facts.set(user_id, { allowed, seen });
      byWorkflow.set(workflow_id, facts);
    }
    return allowed;
  }

  const ends = [
    broadcast.subscribe('access_changed', forget),
    broadcast.subscribe('workflow_changed', (id) => forget(`workflow:${id}`)),
  ];

  return {
    has(workflow_id, user_id) {
      const fact = byWorkflow.get(workflow_id)?.get(user_id);
      return fact?.seen === changes.seen ? fact.allowed : read(workflow_id, user_id);
    },
    close: () => ends.forEach((end) => end()),
  };
}
