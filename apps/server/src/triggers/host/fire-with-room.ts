import { setTimeout as pause } from 'node:timers/promises';
import type { FireOutcome } from '@millrace/nodes/runtime';
import type { Occurrence } from '../fire.ts';
import type { Reading } from './context.ts';
import { LOOK_EVERY_MS, type Room } from './room.ts';

export interface RoomToFire {
  readonly room: Room;
  readonly signal: AbortSignal;
  /** Called when it has to wait, once or more often. */
  readonly onFull: () => void;
}

/**
 * Fires for a source that can wait: what its workflow refuses stays there until it has room.
 *
 * @throws what the signal aborts with
 */
export async function fireWithRoom(
  { trigger, fire }: Pick<Reading, 'trigger' | 'fire'>,
  { room, signal, onFull }: RoomToFire,
  occurrence: Occurrence,
): Promise<FireOutcome & { readonly problem?: string | undefined }> {
  for (;;) {
    await room.wait(trigger.workflow_id, signal, onFull);
    const outcome = await fire(occurrence);
    if (outcome.kind !== 'refused') return outcome;
    onFull();
    await pause(LOOK_EVERY_MS, undefined, { signal });
  }
}
