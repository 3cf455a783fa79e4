import * as contracts from '@millrace/contracts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Binder, SignedInContext } from '../../http/bind.ts';
import { openEventStream } from '../../http/sse.ts';
import type { ChatRow } from '../chats/rows.ts';
import { openChatTurn, requireChatOf } from './chat-turn.ts';
import { prepareDashboardChat } from './dashboard-chat.ts';
import { maskOf, type PreparedTurn, requireTurn, takeTurn } from './turn.ts';
import { prepareWorkflowAssistant } from './workflow-assistant.ts';

/**
 * Assistants that answer as streams. In a chat the turn continues when its caller leaves, until it is stopped; without one the
 * turn ends with the caller, and so do the runs that it waits for.
 */
export function bindAssistant(app: FastifyInstance, binder: Binder): void {
  const { services } = binder;
  const open = new Map<AbortController, Promise<void>>();
  // Before the server waits for its connections: open streams are some of them.
  app.addHook('preClose', async () => {
    for (const turn of open.keys()) turn.abort('lost');
    await Promise.all(open.values());
  });

  async function answer(
    ctx: SignedInContext,
    reply: FastifyReply,
    { turn, chat }: { turn: PreparedTurn; chat: ChatRow | undefined },
  ): Promise<void> {
    const left = new AbortController();
    const mask = await maskOf(ctx, services);
    const onStop = () => left.abort('stopped');
    const inChat = chat ? await openChatTurn(ctx, services, { chat, turn, mask, onStop }) : undefined;
    const writer = openEventStream(reply);
    const emit = (frame: contracts.AssistantFrame) => {
      inChat?.kept.receive(frame);
      writer.send({ data: () => JSON.stringify(frame) });
    };
    if (inChat) emit(inChat.first);
    else {
      writer.onClose(onStop);
      left.signal.addEventListener('abort', () => writer.end(), { once: true });
    }
    const taken = takeTurn(ctx, services, { turn: inChat?.turn ?? turn, left: left.signal, emit, mask })
      .then(() => inChat?.kept.finish(left.signal.reason === 'stopped' ? 'stopped' : 'lost'))
      .catch((err: unknown) => services.log.error({ err }, 'the answer of the assistant could not be kept'))
      .finally(() => {
        // After the answer was saved: who reads the chat at the end of the stream finds it complete.
        writer.end();
        open.delete(left);
      });
    open.set(left, taken);
    await taken;
  }

  const chatOf = async (
    ctx: SignedInContext,
    chat_id: string | null | undefined,
    assistant: 'dashboard' | 'editor',
  ) => (chat_id ? requireChatOf(ctx, chat_id, assistant) : undefined);

  binder.raw(contracts.dashboardChat, async (ctx, { body }, { reply }) => {
    await requireTurn(ctx, services);
    const chat = await chatOf(ctx, body.chat_id, 'dashboard');
    return answer(ctx, reply, { chat, turn: await prepareDashboardChat(ctx, services, body) });
  });
  binder.raw(contracts.workflowAssistant, async (ctx, { body }, { reply }) => {
    await requireTurn(ctx, services);
    const chat = await chatOf(ctx, body.chat_id, 'editor');
    return answer(ctx, reply, { chat, turn: await prepareWorkflowAssistant(ctx, body) });
  });
}
