import type { JsonObject } from '@millrace/engine';
import type { PlatformEventName } from '@millrace/nodes/runtime';
import type { Actor } from '../core/actor.ts';
import { newRunId } from '../core/ids.ts';
import type { Db } from './database.ts';
import { platformEvents } from './schema/index.ts';

export interface NewPlatformEvent {
  readonly name: PlatformEventName;
  /** Told to this person's workflows alone; null: to all. */
  readonly owner_id: string | null;
  readonly workflow_id: string | null;
  readonly payload: JsonObject;
  /** Events with the same key are one. */
  readonly dedupe_key: string;
  readonly at: Date;
}

/** Tells workflows what happened. `db` is the transaction of the change, so that neither is stored without the other. */
export async function publishEvent(db: Db, { at, ...event }: NewPlatformEvent): Promise<void> {
  await db
    .insert(platformEvents)
    .values({ ...event, id: newRunId(at.getTime()), created_at: at })
    .onConflictDoNothing({ target: platformEvents.dedupe_key });
}

interface WorkflowSubject {
  readonly id: string;
  readonly name: string;
  readonly owner_id: string;
}

export function workflowEvent(
  name: Extract<PlatformEventName, `workflow.${string}`>,
  { id, owner_id, ...subject }: WorkflowSubject,
  { actor, at }: { actor?: Pick<Actor, 'user_id'>; at: Date },
): NewPlatformEvent {
  const updated_at = at.toISOString();
  const actor_user_id = actor?.user_id ?? null;
  return {
    name,
    owner_id,
    workflow_id: id,
    payload: { workflow_id: id, name: subject.name, owner_id, actor_user_id, updated_at },
    // A workflow is created and deleted once.
    dedupe_key: name === 'workflow.updated' ? `${name}:${id}:${updated_at}` : `${name}:${id}`,
    at,
  };
}
