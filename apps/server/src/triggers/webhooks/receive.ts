import { NodeFailure } from '@millrace/engine';
import type { TriggerReceiver, WebhookAnswer, WebhookHead, WebhookReception } from '@millrace/nodes/runtime';
import { AppError, notFound } from '../../core/app-error.ts';
import { sanitizedHeaders } from '../../execution/admission/run-input.ts';
import { countQueuedOf } from '../../execution/store/lookups.ts';
import { type HostServices, type ReadingOf, readingOf, UnreadableSettings } from '../host/context.ts';
import { tellChange } from '../host/health.ts';
import { type HostedTrigger, triggerAt } from '../host/hosted-trigger.ts';
import { contentOf } from './content.ts';

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
}

const SECRET_NAME = /secret|signature|token|password/i;

/** What a run may see of the headers: nothing that proves who has sent them. */
function safeHeaders(headers: Delivery['headers']): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(sanitizedHeaders(headers, undefined)))
    if (typeof value === 'string' && !SECRET_NAME.test(name)) kept[name] = value;
  return kept;
}

function textsOf(values: Readonly<Record<string, unknown>>): Record<string, string> {
  const texts: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string') texts[name] = value;
    else if (Array.isArray(value)) texts[name] = value.join(', ');
  }
  return texts;
}

const later = (message: string) => new AppError('unavailable', message, { headers: { 'Retry-After': '5' } });

/** Settings and credentials that do not work are the owner's to mend; the sender learns only that it is refused. */
export async function receptionOf(
  { receiver, call }: Pick<ReadingOf<'webhook'>, 'receiver' | 'call'>,
  delivery: Pick<Delivery, 'method' | 'headers' | 'query' | 'readBody'>,
): Promise<WebhookReception> {
  const { method, headers, query } = delivery;
  const head: WebhookHead = {
    method,
    headers: textsOf(headers),
    safe_headers: safeHeaders(headers),
    query: textsOf(query),
  };
  try {
    const refused = await receiver.screen?.(call, head);
    if (refused) return refused;
    const body = await delivery.readBody();
    const content = () => contentOf(body, head.headers['content-type']);
    return await receiver.receive(call, { ...head, body, content });
  } catch (error) {
    if (!(error instanceof NodeFailure) || error.failure.kind !== 'credential') throw error;
    throw new AppError('forbidden', 'The trigger has no credential to check this delivery with', {
      cause: error,
    });
  }
}

/** Checks a delivery, stores its run, and answers then: what was not acknowledged, the platform delivers again. */
export function createWebhooks({ services, receivers }: WebhookOptions) {
  const sql = services.database.journal;
  const byRoute = new Map<string, string[]>();
  for (const [type, receiver] of receivers)
    if (receiver.kind === 'webhook')
      byRoute.set(receiver.route, [...(byRoute.get(receiver.route) ?? []), type]);

  async function readingAt({ route, node_id }: Delivery) {
    const trigger = await triggerAt(sql, node_id, byRoute.get(route) ?? []);
    const receiver = trigger && receivers.get(trigger.type);
    if (!trigger?.is_active || receiver?.kind !== 'webhook') throw notFound('Trigger');
    try {
      return { ...readingOf({ services }, trigger, receiver), receiver };
    } catch (error) {
      if (!(error instanceof UnreadableSettings)) throw error;
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
    const reading = await readingAt(delivery);
    const { answer, event, answered_by } = await receptionOf(reading, delivery);
    if (!event) return { answer };
    const most = services.config.TRIGGER_QUEUE_LIMIT;
    if ((await countQueuedOf(sql, reading.trigger.workflow_id, most)) >= most)
      throw later('Too many runs of this workflow wait; deliver again later');
    const { cause, ...occurrence } = event;
    const outcome = await reading.fire({ causes: [cause], ...occurrence });
    if (outcome.kind === 'refused') throw outcome.refuse();
    if (outcome.kind === 'lost') throw later('The trigger was changed just now; deliver again');
    await noteProblem(reading.trigger, outcome.problem);
    const { kind, run_id } = outcome;
    return { answer, run_id, repeated: kind === 'repeated', ...(answered_by ? { answered_by } : {}) };
  };
}
