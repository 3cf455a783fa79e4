import {
  type AnyEndpoint,
  type AssistantFrame,
  type ChatAnswer,
  createChat,
  listChats,
  withFrame,
} from '@millrace/contracts';
import { buildEndpointUrl, readApiError } from '@millrace/contracts/client';
import type { QueryClient } from '@tanstack/react-query';
import { createStore } from 'zustand/vanilla';
import { api, sessionFetch } from '../../data/api.ts';
import { chatQuery } from '../../data/chats.ts';
import { renew } from '../../data/endpoint.ts';
import { readFrames } from '../../lib/run/event-frames.ts';
import { newAnswer, type Turn } from './message.ts';

interface TurnsState {
  /** By the id of the chat, or the name of the place whose chat is still to be created. */
  readonly turns: ReadonlyMap<string, Turn>;
  /** Answers that were streamed to this page, by their id. */
  readonly seen: ReadonlyMap<string, ChatAnswer>;
}

/** Turns that this page has begun. They continue while other pages are looked at. */
export const turnsStore = createStore<TurnsState>()(() => ({ turns: new Map(), seen: new Map() }));

function setTurn(place: string, turn: Turn | undefined): void {
  turnsStore.setState(({ turns }) => {
    const next = new Map(turns);
    if (turn) next.set(place, turn);
    else next.delete(place);
    return { turns: next };
  });
}

export const forgetTurn = (place: string): void => setTurn(place, undefined);

interface Asked extends Pick<Turn, 'question' | 'decided'> {
  readonly endpoint: AnyEndpoint;
  /** Without `chat_id`. */
  readonly body: object;
  /** Absent: it is created, about this workflow or none. */
  readonly chat_id: string | undefined;
  readonly workflow_id: string | undefined;
  /** Where the turn is kept until there is a chat. */
  readonly place: string;
  readonly onCreated: (chat_id: string) => void;
}

/** Throws `ApiError` when the server refuses the turn. */
export async function* streamFrames<Frame extends { readonly type: string }>(
  endpoint: AnyEndpoint,
  body: object,
  signal?: AbortSignal,
): AsyncGenerator<Frame> {
  const response = await sessionFetch(buildEndpointUrl(endpoint, {}), {
    method: endpoint.method,
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
  if (!response.ok) throw await readApiError(response);
  if (!response.body) return;
  for await (const { event } of readFrames<Frame>(response.body)) yield event;
}

const named = (turn: Turn, frame: Extract<AssistantFrame, { type: 'chat' }>): Turn => ({
  ...turn,
  question: turn.question && { ...turn.question, id: frame.question_id ?? turn.question.id },
  answer: { ...turn.answer, id: frame.answer_id },
});

/**
 * Takes one turn in a chat to the end of its stream. From then on the chat as the server keeps it is shown; a turn that the
 * server refused stays on the page with the reason.
 */
export async function takeTurn(client: QueryClient, asked: Asked): Promise<void> {
  const { endpoint, body, question, decided, workflow_id, onCreated } = asked;
  let place = asked.chat_id ?? asked.place;
  let turn: Turn = { question, answer: newAnswer(), decided, is_running: true };
  let isTaken = false;
  const show = (next: Turn) => {
    turn = next;
    setTurn(place, turn);
  };
  show(turn);
  try {
    let { chat_id } = asked;
    if (chat_id === undefined) {
      ({ id: chat_id } = await api(createChat, { body: { workflow_id } }));
      forgetTurn(place);
      place = chat_id;
      show(turn);
      onCreated(chat_id);
    }
    for await (const frame of streamFrames<AssistantFrame>(endpoint, { ...body, chat_id })) {
      isTaken ||= frame.type === 'chat';
      show(frame.type === 'chat' ? named(turn, frame) : { ...turn, answer: withFrame(turn.answer, frame) });
    }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    if (!isTaken) {
      show({
        ...turn,
        decided: null,
        answer: { ...turn.answer, state: 'failed', problem },
        is_running: false,
      });
      return;
    }
  }
  await endTurn(client, place, turn);
}

/** The server completes an answer whose stream has broken off; only when it cannot be reached is it lost here. */
async function endTurn(client: QueryClient, chat_id: string, turn: Turn): Promise<void> {
  const { answer } = turn;
  turnsStore.setState(({ seen }) => ({ seen: new Map(seen).set(answer.id, answer) }));
  void renew(client, [listChats]);
  try {
    await client.fetchQuery({ ...chatQuery(chat_id), staleTime: 0 });
    forgetTurn(chat_id);
  } catch {
    const state = answer.state === 'open' ? 'lost' : answer.state;
    setTurn(chat_id, { ...turn, answer: { ...answer, state }, is_running: false });
  }
}
