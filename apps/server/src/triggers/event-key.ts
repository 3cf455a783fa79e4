import { ExpressionError, type JsonObject, nameOfField } from '@millrace/engine';
import type { EventKey, TriggerReceiver } from '@millrace/nodes/runtime';
import type { z } from 'zod';
import type { Cause } from '../execution/model/queue.ts';
import { createAmbient } from '../execution/run/start/ambient.ts';
import { hashOfKey } from '../execution/run/start/key-hash.ts';
import type { Services } from '../services.ts';

/** Another cause that an event is recognised by, beside the name that its source gave it. */
export interface RecognisedEvent {
  readonly cause?: Cause;
  /** Why it has no key although it should, in words for the owner. */
  readonly problem?: string;
}

const FIELD = 'deduplicateBy';

function describeProblem({ definition }: TriggerReceiver, { message }: ExpressionError): string {
  const shape: Readonly<Record<string, z.ZodType>> = definition.params.shape;
  return `${nameOfField(shape[FIELD], FIELD)}: ${message} An event was not compared with earlier ones and started a run.`;
}

/**
 * The cause that events with the same value share for the length of the window. The value itself, which may be a secret, is not stored.
 * An expression that fails costs no event its run.
 */
export function recognise(
  { config, now }: Pick<Services, 'config' | 'now'>,
  { receiver, key }: { receiver: TriggerReceiver; key: EventKey },
  input: JsonObject,
): RecognisedEvent {
  try {
    const hash = hashOfKey(key, input, createAmbient(now, config.TIMEZONE));
    if (hash === undefined) return {};
    return { cause: { name: `key ${hash}`, known_until_ms: now() + key.window_ms } };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return { problem: describeProblem(receiver, error) };
  }
}
