import { listenToTrigger, testWebhook } from '@millrace/contracts';
import { AppError, notFound } from '../../core/app-error.ts';
import type { Binder } from '../../http/bind.ts';
import { openEventStream } from '../../http/sse.ts';
import { readState, shown } from '../../resources/workflows/state.ts';
import { callReceiver } from '../webhooks/receive.ts';
import { sendAnswer } from '../webhooks/send-answer.ts';
import { triggerOfDraft } from './draft-trigger.ts';
import { listen, readDraft } from './listen.ts';
import { leaveEvent, listenedTrigger } from './listeners.ts';

/** Of one user, on one process: each may hold a connection to its source. */
const MOST_OF_A_USER = 5;

/** Trigger nodes of a draft, tried with one real event each. */
export function bindListening(binder: Binder): void {
  const { app, services } = binder;
  const open = new Map<AbortController, string>();
  // Before the server waits for its connections: open streams are some of them.
  app.addHook('preClose', async () => {
    for (const left of open.keys()) left.abort();
  });

  binder.raw(listenToTrigger, async (ctx, { params: { id, node_id } }, { reply }) => {
    const state = await readState(ctx, id, { draft: true });
    const { row } = state.visible;
    const trigger = triggerOfDraft(row, shown(state, true).graph, node_id);
    if (trigger.kind === 'upload')
      throw new AppError('invalid_input', 'Run the workflow: its run shows the address to send a file to');
    const reading = readDraft(services, trigger);
    const { user_id } = ctx.actor;
    if ([...open.values()].filter((user) => user === user_id).length >= MOST_OF_A_USER)
      throw new AppError(
        'rate_limited',
        `At most ${MOST_OF_A_USER} nodes can listen at once; stop one first`,
      );
    const left = new AbortController();
    open.set(left, user_id);
    const writer = openEventStream(reply);
    writer.onClose(() => left.abort());
    try {
      const emit = (frame: object) => writer.send({ data: () => JSON.stringify(frame) });
      await listen(services, reading, { left: left.signal, emit });
    } finally {
      open.delete(left);
      writer.end();
    }
  });

  binder.raw(testWebhook, async (_ctx, { params: { token } }, http) => {
    const { database, run_secrets, now } = services;
    const { request, reply } = http;
    const trigger = await listenedTrigger(database.sql, token, now());
    const reading = trigger && readDraft(services, trigger);
    if (!reading || reading.receiver.kind !== 'webhook') throw notFound('Test address');
    const { receiver, call } = reading;
    const { answer, event } = await callReceiver(
      { receiver, call },
      {
        method: request.method,
        headers: request.headers,
        query: request.query as Record<string, unknown>,
        readBody: () => binder.readBody(http, testWebhook.body_limit),
      },
    );
    if (event && !(await leaveEvent(database.sql, run_secrets, { id: trigger.id, input: event.input })))
      throw notFound('Test address');
    return sendAnswer(reply, answer);
  });
}
