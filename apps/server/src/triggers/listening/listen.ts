import { setTimeout as pause } from 'node:timers/promises';
import type { ListenFrame } from '@millrace/contracts';
import type { JsonObject } from '@millrace/engine';
import { MINUTE_MS } from '@millrace/engine/units';
import { receivers, type TriggerReceiver } from '@millrace/nodes/runtime';
import { AppError, notFound } from '../../core/app-error.ts';
import { RunSecretsMask } from '../../execution/run/secrets/secrets-mask.ts';
import { createReading, type HostServices, type Reading, UnreadableSettings } from '../host/context.ts';
import type { HostedTrigger } from '../host/hosted-trigger.ts';
import { captureEvent } from './capture.ts';
import { closeListener, leftEvent, openListener } from './listeners.ts';

/** How long a user may wait for an event. */
const WAITS_FOR_MS = 5 * MINUTE_MS;
const LOOK_MS = 300;

/** @throws AppError `invalid_input` that names the field, when the settings cannot be read */
export function readDraft(services: HostServices, trigger: HostedTrigger): Reading {
  const receiver: TriggerReceiver | undefined = receivers.get(trigger.type);
  if (!receiver) throw notFound('Trigger');
  try {
    return createReading({ services }, trigger, receiver);
  } catch (error) {
    if (!(error instanceof UnreadableSettings)) throw error;
    throw new AppError('invalid_input', error.message, { cause: error });
  }
}

interface Listening {
  /** Aborts when the user leaves or the service stops. */
  readonly left: AbortSignal;
  readonly emit: (frame: ListenFrame) => void;
}

async function delivered(
  { database, run_secrets }: HostServices,
  id: string,
  signal: AbortSignal,
): Promise<JsonObject> {
  for (;;) {
    const event = await leftEvent(database.sql, run_secrets, id);
    if (event) return event;
    await pause(LOOK_MS, undefined, { signal });
  }
}

/** Waits for one event of the node and reports it as frames. Never rejects for what the source does. */
export async function listen(
  services: HostServices,
  reading: Reading,
  { left, emit }: Listening,
): Promise<void> {
  const { database, run_secrets, log, now } = services;
  const { trigger, receiver } = reading;
  const expires_at_ms = now() + WAITS_FOR_MS;
  const expired = AbortSignal.timeout(WAITS_FOR_MS);
  const signal = AbortSignal.any([left, expired]);
  const has_address = receiver.kind === 'webhook';
  const token = has_address ? await openListener(database.sql, trigger, expires_at_ms) : undefined;
  const path = token === undefined ? null : `/api/webhooks/test/${token}`;
  emit({ type: 'listening', path, expires_at: new Date(expires_at_ms).toISOString() });
  let isReady = false;
  const onReady = () => {
    if (!isReady) emit({ type: 'ready' });
    isReady = true;
  };
  try {
    if (has_address) onReady();
    const input = has_address
      ? await delivered(services, trigger.id, signal)
      : await captureEvent(services, reading, { signal, onReady });
    const mask = new RunSecretsMask(await run_secrets.getSecrets(trigger.owner_id));
    emit({ type: 'received', input: mask.mask(input) });
  } catch (error) {
    if (left.aborted) return;
    if (expired.aborted) return emit({ type: 'expired' });
    log.info({ err: error, workflow_id: trigger.workflow_id }, 'a trigger of a draft could not be read');
    emit({ type: 'failed', message: reading.describeError(error) });
  } finally {
    if (has_address) await closeListener(database.sql, trigger.id);
  }
}
