import { NodeFailure } from '@millrace/engine';
import type { TriggerReceiver, WebhookAnswer, WebhookHead, WebhookReception } from '@millrace/nodes/runtime';
import { AppError, notFound } from '../../core/app-error.ts';
import type { RefusalReason } from '../../database/schema/index.ts';
import { countQueuedInWorkflow } from '../../execution/store/lookups.ts';
import { sanitizedHeaders } from '../../http/bodies/call-input.ts';
import { keepAnswer } from '../deferred/answers.ts';
import { createReading, type HostServices, type ReadingOf, UnreadableSettings } from '../host/context.ts';
import { tellChange } from '../host/health/trigger-health.ts';
import { type HostedTrigger, triggerAt } from '../host/hosted-trigger.ts';
import type { Refusal, Refusals } from '../refused/refusals.ts';
import { parseContent } from './content.ts';

export interface Delivery {
  /** Family of addresses, as receivers name it. */
  readonly route: string;
  readonly node_id: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Asked for once it is known that there is such a trigger. The bytes as they came: they are what is signed. */
  readonly readBody: () => Promise<Uint8Array>;
}

/** The answer to the sender, and the run of its delivery. */
export interface Received {
  readonly answer: WebhookAnswer;
  /** Absent for a delivery that starts no run. */
  readonly run_id?: string;
  /** The run is that of an earlier delivery. */
  readonly repeated?: boolean;
  /** The run answers instead. */
  readonly answered_by?: WebhookReception['answered_by'];
}

export interface WebhookOptions {
  readonly services: HostServices;
  readonly receivers: ReadonlyMap<string, TriggerReceiver>;
  readonly refusals: Refusals;
}

const SECRET_NAME = /secret|signature|token|password/i;

/** The headers that a run may see: nothing that proves who has sent them. */
function safeHeaders(headers: Delivery['headers']): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(sanitizedHeaders(headers, undefined)))
    if (typeof value === 'string' && !SECRET_NAME.test(name)) kept[name] = value;
  return kept;
}

function pickTexts(values: Readonly<Record<string, unknown>>): Record<string, string> {
  const texts: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string') texts[name] = value;
    else if (Array.isArray(value)) texts[name] = value.join(', ');
  }
  return texts;
}

const later = (message: string) => new AppError('unavailable', message, { headers: { 'Retry-After': '5' } });

/** Settings and credentials that do not work are the owner's to mend; the sender learns only that it is refused. */
export async function callReceiver(
  { receiver, call }: Pick<ReadingOf<'webhook'>, 'receiver' | 'call'>,
  delivery: Pick<Delivery, 'method' | 'headers' | 'query' | 'readBody'>,
): Promise<WebhookReception> {
  const { method, headers, query } = delivery;
  const head: WebhookHead = {
    method,
    headers: pickTexts(headers),
    safe_headers: safeHeaders(headers),
    query: pickTexts(query),
  };
  try {
    const refused = await receiver.screen?.(call, head);
    if (refused) return refused;
    const body = await delivery.readBody();
    const content = () => parseContent(body, head.headers['content-type']);
    return await receiver.receive(call, { ...head, body, content });
  } catch (error) {
    if (!(error instanceof NodeFailure) || error.failure.kind !== 'credential') throw error;
    throw new AppError('forbidden', 'The trigger has no credential to check this delivery with', {
      cause: error,
    });
  }
}

/** Why a delivery that could be verified, or needs no proof, was not read; undefined for refusals of the sender. */
function classifyError(error: unknown): 'invalid_body' | 'too_large' | undefined {
  if (!(error instanceof AppError)) return undefined;
  if (error.code === 'too_large') return 'too_large';
  return error.code === 'bad_request' || error.code === 'invalid_input' ? 'invalid_body' : undefined;
}

/** A trigger that an address leads to. */
type Found = ReadingOf<'webhook'> & { readonly is_active: boolean };

/** Leaves what is refused in the inbox of the owner; the sender gets the same answer as without it. */
const note = (
  refusals: Refusals,
  { trigger, receiver }: Found,
  refusal: Pick<Refusal, 'reason' | 'message' | 'event'>,
): Promise<void> => refusals.note({ trigger, source: receiver.source, ...refusal });

/** A verified delivery to a trigger that is paused or off is kept; for the sender there is no such address. */
async function refuseWhileOff(refusals: Refusals, found: Found, delivery: Delivery): Promise<never> {
  if (refusals.hasRoom(found.trigger)) {
    const reception = await callReceiver(found, delivery).catch(() => undefined);
    const message = 'The trigger was paused or switched off';
    if (reception?.event) await note(refusals, found, { reason: 'off', message, event: reception.event });
  }
  throw notFound('Trigger');
}

async function readDelivery(refusals: Refusals, found: Found, delivery: Delivery): Promise<WebhookReception> {
  try {
    return await callReceiver(found, delivery);
  } catch (error) {
    const reason = classifyError(error);
    if (reason && error instanceof AppError) await note(refusals, found, { reason, message: error.message });
    throw error;
  }
}

/** Checks a delivery, stores its run, and answers then: what was not acknowledged, the platform delivers again. */
export function createWebhooks({ services, receivers, refusals }: WebhookOptions) {
  const sql = services.database.journal;
  const byRoute = new Map<string, string[]>();
  for (const [type, receiver] of receivers)
    if (receiver.kind === 'webhook')
      byRoute.set(receiver.route, [...(byRoute.get(receiver.route) ?? []), type]);

  async function readingAt({ route, node_id }: Delivery): Promise<Found> {
    const trigger = await triggerAt(sql, node_id, byRoute.get(route) ?? []);
    const receiver = trigger && receivers.get(trigger.type);
    if (!trigger || receiver?.kind !== 'webhook') throw notFound('Trigger');
    try {
      return { ...createReading({ services }, trigger, receiver), receiver, is_active: trigger.is_active };
    } catch (error) {
      if (!(error instanceof UnreadableSettings)) throw error;
      if (!trigger.is_active) throw notFound('Trigger');
      throw new AppError('unavailable', 'The settings of the trigger cannot be read', { cause: error });
    }
  }

  /** A webhook has no host that would note it: each delivery says whether its key could be computed. */
  async function noteProblem(trigger: HostedTrigger, problem: string | undefined): Promise<void> {
    if (problem !== undefined)
      await tellChange({ sql, services }, trigger, { state: 'failing', error: problem });
    else if (trigger.failures > 0)
      await tellChange({ sql, services }, trigger, { state: 'armed', error: null });
  }

  /** @throws AppError in words for the sender */
  return async function receiveDelivery(delivery: Delivery): Promise<Received> {
    const found = await readingAt(delivery);
    if (!found.is_active) return refuseWhileOff(refusals, found, delivery);
    const { answer, event, answered_by, deferred } = await readDelivery(refusals, found, delivery);
    if (!event) return { answer };
    const refuse = async (reason: RefusalReason, error: AppError): Promise<never> => {
      await note(refusals, found, { reason, message: error.message, event });
      throw error;
    };
    const most = services.config.TRIGGER_QUEUE_LIMIT;
    if ((await countQueuedInWorkflow(sql, found.trigger.workflow_id, most)) >= most)
      return refuse('queue_full', later('Too many runs of this workflow wait; deliver again later'));
    const { cause, ...occurrence } = event;
    const outcome = await found.fire({ causes: [cause], ...occurrence });
    if (outcome.kind === 'refused') return refuse('no_place', outcome.refuse());
    if (outcome.kind === 'lost')
      return refuse('off', later('The trigger was changed just now; deliver again'));
    await noteProblem(found.trigger, outcome.problem);
    const { kind, run_id } = outcome;
    // Stored before the acknowledgement, which promises the sender an answer.
    if (deferred && kind === 'queued')
      await keepAnswer(services, deferred, { run_id, node_type: found.trigger.type });
    return { answer, run_id, repeated: kind === 'repeated', ...(answered_by ? { answered_by } : {}) };
  };
}
