import * as contracts from '@millrace/contracts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Binder, SignedInContext } from '../../http/bind.ts';
import { openEventStream } from '../../http/sse.ts';
import { prepareDashboardChat } from './dashboard-chat.ts';
import { type PreparedTurn, requireTurn, takeTurn } from './turn.ts';
import { prepareWorkflowAssistant } from './workflow-assistant.ts';

/** Assistants that answer as streams. Who leaves ends the turn, and the runs that it waits for. */
export function bindAssistant(app: FastifyInstance, binder: Binder): void {
  const { services } = binder;
  const open = new Set<AbortController>();
  // Before the server waits for its connections: open streams are some of them.
  app.addHook('preClose', async () => {
    for (const turn of open) turn.abort();
  });

  async function answer(ctx: SignedInContext, reply: FastifyReply, turn: PreparedTurn): Promise<void> {
    const writer = openEventStream(reply);
    const left = new AbortController();
    open.add(left);
    writer.onClose(() => left.abort());
    left.signal.addEventListener('abort', () => writer.end(), { once: true });
    try {
      await takeTurn(ctx, services, {
        turn,
        left: left.signal,
        emit: (frame) => writer.send({ data: () => JSON.stringify(frame) }),
      });
    } finally {
      writer.end();
      open.delete(left);
    }
  }

  binder.raw(contracts.dashboardChat, async (ctx, { body }, { reply }) => {
    await requireTurn(ctx, services);
    return answer(ctx, reply, await prepareDashboardChat(ctx, services, body));
  });
  binder.raw(contracts.workflowAssistant, async (ctx, { body }, { reply }) => {
    await requireTurn(ctx, services);
    return answer(ctx, reply, await prepareWorkflowAssistant(ctx, body));
  });
}
