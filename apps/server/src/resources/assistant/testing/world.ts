import type { AssistantFrame, ChatWithMessages } from '@millrace/contracts';
import {
  chatStream,
  type FakeProvider,
  type FakeReply,
  type SeenCall,
  startFakeProvider,
} from '@millrace/models/testing';
import { afterAll, beforeAll } from 'vitest';
import { createTestApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

export interface AssistantWorld {
  readonly app: TestApp;
  readonly owner: TestUser;
  readonly provider: FakeProvider;
  readonly credential_id: string;
  /** Answers of the model from here on, the last one again and again. */
  script(...replies: readonly (FakeReply | ((call: SeenCall) => FakeReply))[]): void;
  /** Bodies of the calls since the script began. */
  readonly asked: () => readonly SeenCall[];
  /** The body of a call as text. */
  getRequestBody(at: number): string;
  send(path: string, body: object, user?: TestUser): ReturnType<TestUser['call']>;
  /** Frames of a request that is answered by a stream; fails when it is refused. */
  stream(path: string, body: object, user?: TestUser): Promise<AssistantFrame[]>;
  /** A new chat of the owner. */
  newChat(body?: object, user?: TestUser): Promise<string>;
  /** A chat with its messages. */
  readChat(id: string): Promise<ChatWithMessages>;
  /** Opens a turn over a real connection, whose caller leaves when the returned function is called. */
  begin(path: string, body: object): Promise<() => void>;
  close(): Promise<void>;
}

export const CHAT = '/api/ai/dashboard-chat';
export const EDITOR = '/api/ai/workflow-assistant';

/** Frames of a stream that has ended. */
export const framesIn = (body: string): AssistantFrame[] =>
  body
    .split('\n\n')
    .filter((block) => block.startsWith('data: '))
    .map((block) => JSON.parse(block.slice('data: '.length)) as AssistantFrame);

export const listTypes = (frames: readonly AssistantFrame[]) => frames.map(({ type }) => type);

let uses = 0;
/** The model calls a tool. */
export const asksFor = (name: string, input: unknown, words: readonly string[] = []): FakeReply => ({
  chunks: chatStream(words, {
    tools: [
      {
        id: `call_${++uses}`,
        name,
        arguments: typeof input === 'string' ? input : JSON.stringify(input),
      },
    ],
  }),
});

/** The model answers. */
export const says = (...pieces: readonly string[]): FakeReply => ({ chunks: chatStream(pieces) });

export const joinText = (frames: readonly AssistantFrame[]): string =>
  frames.map((frame) => (frame.type === 'content' ? frame.text : '')).join('');

/** The first frame of a type; fails when there is none. */
export function getFrame<Type extends AssistantFrame['type']>(
  frames: readonly AssistantFrame[],
  type: Type,
): Extract<AssistantFrame, { type: Type }> {
  const found = frames.find((frame) => frame.type === type);
  if (!found) throw new Error(`no frame ${type} in ${JSON.stringify(frames)}`);
  return found as Extract<AssistantFrame, { type: Type }>;
}

/** One world for the tests of a file, closed after the last of them. */
export function useAssistantWorld(keep: (world: AssistantWorld) => void): void {
  let opened: AssistantWorld | undefined;
  beforeAll(async () => {
    opened = await openAssistantWorld();
    keep(opened);
  });
  afterAll(() => opened?.close());
}

async function openAssistantWorld(): Promise<AssistantWorld> {
  const app = await createTestApp({ env: { HTTP_ALLOW_PRIVATE_URLS: 'true' } });
  let replies: readonly (FakeReply | ((call: SeenCall) => FakeReply))[] = [];
  let begun = 0;
  let address: Promise<string> | undefined;
  const provider = await startFakeProvider((call, count) => {
    const reply = replies[Math.min(count - begun, replies.length - 1)] ?? says('nothing was scripted');
    return typeof reply === 'function' ? reply(call) : reply;
  });
  const owner = await app.user('Ada');
  const made = await owner.call('POST', '/api/credentials', {
    name: 'models',
    type: 'custom',
    config: { api_key: 'k-0123456789', base_url: provider.url },
  });
  const credential_id = made.json<{ id: string }>().id;
  const send = (path: string, body: object, user = owner) =>
    user.call('POST', path, { credential_id, model: 'm1', ...body });
  return {
    app,
    owner,
    provider,
    credential_id,
    script(...given) {
      replies = given;
      begun = provider.seen.length;
    },
    asked: () => provider.seen.slice(begun),
    getRequestBody: (at) => JSON.stringify(provider.seen[begun + at]?.body ?? null),
    send,
    async stream(path, body, user) {
      const answer = await send(path, body, user);
      if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.body}`);
      return framesIn(answer.body);
    },
    async newChat(body = {}, user = owner) {
      const answer = await user.call('POST', '/api/chats', body);
      if (answer.statusCode !== 201) throw new Error(`${answer.statusCode}: ${answer.body}`);
      return answer.json<{ id: string }>().id;
    },
    async readChat(id) {
      return (await owner.call('GET', `/api/chats/${id}`)).json<ChatWithMessages>();
    },
    async begin(path, body) {
      address ??= app.app.listen({ port: 0, host: '127.0.0.1' });
      const left = new AbortController();
      const answer = await fetch(`${await address}${path}`, {
        method: 'POST',
        signal: left.signal,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${owner.access_token}` },
        body: JSON.stringify({ credential_id, model: 'm1', ...body }),
      });
      if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
      const reader = answer.body?.getReader();
      await reader?.read();
      return () => left.abort();
    },
    async close() {
      await app.close();
      provider.stop();
    },
  };
}
