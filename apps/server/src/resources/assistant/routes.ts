import * as contracts from '@millrace/contracts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Binder, SignedInContext } from '../../http/bind.ts';
import { openEventStream } from '../../http/sse.ts';
import type { Services } from '../../services.ts';
import type { ChatRow } from '../chats/rows.ts';
import { openChatTurn, requireChat } from './chat-turn.ts';
import { prepareDashboardChat } from './dashboard-chat.ts';
import { fixedTranscription } from './fix-transcription.ts';
import { prepareSkillBuilder } from './skill-builder.ts';
import { createMask, type PreparedTurn, requireTurn, takeTurn } from './turn.ts';
import { prepareWorkflowAssistant } from './workflow-assistant.ts';

interface Answering {
  readonly turn: PreparedTurn;
  readonly chat?: ChatRow | undefined;
  /** A frame as the endpoint sends it; undefined: not at all. */
  readonly shown?: (frame: contracts.AssistantFrame) => { readonly type: string } | undefined;
}

/** The words of the builder of skills have a name of their own, and its steps are not shown. */
function builderFrame(frame: contracts.AssistantFrame): contracts.SkillBuilderFrame | undefined {
  switch (frame.type) {
    case 'content':
      return { type: 'text_chunk', content: frame.text };
    case 'skill_files_update':
    case 'done':
    case 'error':
      return frame;
    default:
      return undefined;
  }
}

type Answer = (ctx: SignedInContext, reply: FastifyReply, answering: Answering) => Promise<void>;

/**
 * Answers with the stream of a turn. In a chat the turn continues when its caller leaves, until it is stopped; without one it ends
 * with the caller, and so do the runs that it waits for.
 */
function createAnswer(app: FastifyInstance, services: Services): Answer {
  const open = new Map<AbortController, Promise<void>>();
  // Before the server waits for its connections: open streams are some of them.
  app.addHook('preClose', async () => {
    for (const turn of open.keys()) turn.abort('lost');
    await Promise.all(open.values());
  });

  return async function answer(
    ctx: SignedInContext,
    reply: FastifyReply,
    { turn, chat, shown = (frame) => frame }: Answering,
  ): Promise<void> {
    const left = new AbortController();
    const mask = await createMask(ctx, services);
    const onStop = () => left.abort('stopped');
    const inChat = chat ? await openChatTurn(ctx, services, { chat, turn, mask, onStop }) : undefined;
    const writer = openEventStream(reply);
    const emit = (frame: contracts.AssistantFrame) => {
      inChat?.kept.receive(frame);
      const sent = shown(frame);
      if (sent) writer.send({ data: () => JSON.stringify(sent) });
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
        // After the answer was saved: a caller that reads the chat at the end of the stream finds it complete.
        writer.end();
        open.delete(left);
      });
    open.set(left, taken);
    await taken;
  };
}

/** Assistants that answer as streams, and what else is asked of a model for a person who waits. */
export function bindAssistant({ app, raw, json, services }: Binder): void {
  const answer = createAnswer(app, services);
  const resolveChat = async (
    ctx: SignedInContext,
    chat_id: string | null | undefined,
    assistant: 'dashboard' | 'editor',
  ) => (chat_id ? requireChat(ctx, chat_id, assistant) : undefined);

  raw(contracts.dashboardChat, async (ctx, { body }, { reply }) => {
    await requireTurn(ctx, services);
    const chat = await resolveChat(ctx, body.chat_id, 'dashboard');
    return answer(ctx, reply, { chat, turn: await prepareDashboardChat(ctx, services, body) });
  });
  raw(contracts.workflowAssistant, async (ctx, { body }, { reply }) => {
    await requireTurn(ctx, services);
    const chat = await resolveChat(ctx, body.chat_id, 'editor');
    const workflow_id = body.workflow_id ?? chat?.workflow_id ?? undefined;
    const turn = await prepareWorkflowAssistant(ctx, services, { body, workflow_id });
    return answer(ctx, reply, { chat, turn });
  });
  raw(contracts.skillBuilder, async (ctx, { body }, { reply }) => {
    await requireTurn(ctx, services);
    return answer(ctx, reply, { turn: await prepareSkillBuilder(ctx, body), shown: builderFrame });
  });
  json(contracts.fixTranscription, async (ctx, { body }) => {
    await requireTurn(ctx, services);
    return fixedTranscription(ctx, services, body);
  });
}
