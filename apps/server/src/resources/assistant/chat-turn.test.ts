import type { ChatAnswer, ChatMessage } from '@millrace/contracts';
import { chatStream } from '@millrace/models/testing';
import { describe, expect, test } from 'vitest';
import { createWorkflow, ECHO, graph, until } from '../executions/testing/workflows.ts';
import {
  type AssistantWorld,
  asksFor,
  CHAT,
  EDITOR,
  getFrame,
  listTypes,
  says,
  useAssistantWorld,
} from './testing/world.ts';

let world: AssistantWorld;
useAssistantWorld((opened) => {
  world = opened;
});

const answerAt = (messages: readonly ChatMessage[], at: number): ChatAnswer => {
  const message = messages.at(at);
  if (message?.role !== 'assistant') throw new Error(`no answer at ${at} of ${JSON.stringify(messages)}`);
  return message;
};
const textIn = ({ parts }: ChatAnswer): string =>
  parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
const lastAnswer = async (id: string) => answerAt((await world.readChat(id)).messages, -1);
const hanging = (...pieces: string[]) => ({
  chunks: chatStream(pieces).slice(0, pieces.length + 1),
  end: 'hang' as const,
});

describe('a turn in a chat', () => {
  test('is kept with its question, and the next one reads both', async () => {
    const chat_id = await world.newChat();
    world.script(says('Hello ', 'Ada'));
    const frames = await world.stream(CHAT, { message: 'Good morning\nto you', chat_id });
    expect(listTypes(frames)).toEqual(['chat', 'content', 'content', 'done']);
    const chat = await world.readChat(chat_id);
    expect(chat).toMatchObject({ title: 'Good morning to you', workflow_id: null, is_answering: false });
    const { question_id, answer_id } = getFrame(frames, 'chat');
    expect(chat.messages.map(({ id }) => id)).toEqual([question_id, answer_id]);
    expect(answerAt(chat.messages, 1)).toMatchObject({ state: 'done', problem: null });
    expect(textIn(answerAt(chat.messages, 1))).toBe('Hello Ada');

    world.script(says('Yes.'));
    await world.stream(CHAT, { message: 'And now?', chat_id });
    const asked = (world.asked()[0]?.body?.['messages'] ?? []) as { role: string; content: string }[];
    expect(asked.slice(1).map(({ content }) => content)).toEqual([
      'Good morning\nto you',
      'Hello Ada',
      'And now?',
    ]);
  });

  test('keeps the text of an attached file for the next question', async () => {
    const chat_id = await world.newChat();
    world.script(says('A table.'));
    const attachment = { name: 'a.csv', kind: 'text', content: 'city;Kiel' };
    await world.stream(CHAT, { message: 'What is it?', chat_id, attachment });
    world.script(says('Kiel.'));
    await world.stream(CHAT, { message: 'Which city?', chat_id });
    expect(world.getRequestBody(0)).toContain('city;Kiel');
    expect((await world.readChat(chat_id)).messages[0]).toMatchObject({ attachment: 'a.csv' });
  });

  test('notes what was confirmed, and the answer to it (§6.3)', async () => {
    const id = await createWorkflow(world.owner, ECHO, { name: 'Greeter' });
    const chat_id = await world.newChat();
    world.script(asksFor('run_workflow', { workflow_id: id, input: { text: 'ahoy' } }));
    const asked = getFrame(await world.stream(CHAT, { message: 'Run it', chat_id }), 'confirmation');
    const { token, tool, arguments: input } = asked;
    expect((await lastAnswer(chat_id)).parts).toEqual([{ kind: 'confirmation', asked, decision: null }]);
    world.script(says('It said ahoy.'));
    const confirmation = { token, tool, arguments: input, decision: 'accept' };
    await world.stream(CHAT, { message: '', chat_id, confirmation });
    const { messages } = await world.readChat(chat_id);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant']);
    expect(answerAt(messages, 1).parts).toMatchObject([{ kind: 'confirmation', decision: 'accept' }]);
    expect(answerAt(messages, 2).parts).toMatchObject([
      { kind: 'step', tool: 'run_workflow' },
      { kind: 'output', status: 'success' },
      { kind: 'text', text: 'It said ahoy.' },
    ]);
    expect(world.getRequestBody(0)).toContain(': confirmed]');

    world.script(says('Fine.'));
    await world.stream(CHAT, { message: 'Thanks', chat_id });
    expect((await world.readChat(chat_id)).messages).toHaveLength(5);
  });

  test('keeps no secrets, no pictures and no address that decides a review', async () => {
    const secret = 'canary-token-9876543210';
    await world.owner.call('POST', '/api/credentials', {
      name: 'kept canary',
      type: 'bearer',
      config: { bearer_token: secret },
    });
    const id = await createWorkflow(
      world.owner,
      graph(
        [
          ['start', 'textInput'],
          ['ask', 'humanReview', { summary: 'Send the letter?', draft: 'Dear Ada' }],
        ],
        ['start>ask'],
      ),
    );
    const chat_id = await world.newChat();
    world.script(asksFor('run_workflow', { workflow_id: id }));
    const message = `My key is ${secret}`;
    const asked = getFrame(await world.stream(CHAT, { message, chat_id }), 'confirmation');
    const { token, tool, arguments: input } = asked;
    world.script(says('It waits.'));
    const confirmation = { token, tool, arguments: input, decision: 'accept' };
    const frames = await world.stream(CHAT, { message: '', chat_id, confirmation });
    const { review_url } = getFrame(frames, 'workflow_pending');
    const { rows } = await world.app.services.database.sql.query<{ content: string }>({
      text: 'SELECT content FROM chat_messages WHERE chat_id = $1',
      values: [chat_id],
    });
    const stored = JSON.stringify(rows);
    expect(stored).toContain('Send the letter?');
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(review_url.split('/').at(-1));
    expect((await world.readChat(chat_id)).title).not.toContain(secret);
  });

  test('is refused with a history beside it, in the chat of the other assistant, and in a full one', async () => {
    const chat_id = await world.newChat();
    const history = [{ role: 'user', content: 'x' }];
    const both = await world.send(CHAT, { message: 'x', chat_id, conversation_history: history });
    expect(both.statusCode).toBe(422);
    expect(both.body).toContain('conversation_history');
    expect((await world.send(EDITOR, { message: 'x', chat_id })).statusCode).toBe(422);
    const workflow_id = await createWorkflow(world.owner, ECHO);
    const editor = await world.newChat({ workflow_id });
    expect((await world.send(CHAT, { message: 'x', chat_id: editor })).statusCode).toBe(422);
    const missing = await world.send(CHAT, { message: 'x', chat_id: crypto.randomUUID() });
    expect(missing.statusCode).toBe(404);
    await world.app.services.database.sql.query({
      text: `INSERT INTO chat_messages (chat_id, position, content, saved_at)
        SELECT $1, at, '{"text":"x","attachment":null}', now() FROM generate_series(0, 398) AS at`,
      values: [chat_id],
    });
    const full = await world.send(CHAT, { message: 'x', chat_id });
    expect(full.statusCode).toBe(409);
    expect(full.body).toContain('begin a new one');
  });
});

describe('an answer in progress', () => {
  test('is completed when its caller leaves, and can be read meanwhile', async () => {
    const chat_id = await world.newChat();
    let release = () => undefined as void;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const chunks = chatStream(['One ', 'two ', 'three']);
    world.script({ chunks: [...chunks.slice(0, 2), released, ...chunks.slice(2)] });
    const leave = await world.begin(CHAT, { message: 'Count', chat_id });
    leave();
    await until(async () => (textIn(await lastAnswer(chat_id)) === 'One ' ? true : undefined));
    expect(await world.readChat(chat_id)).toMatchObject({ is_answering: true });
    const busy = await world.send(CHAT, { message: 'Faster', chat_id });
    expect(busy.statusCode).toBe(409);
    release();
    await until(async () => ((await lastAnswer(chat_id)).state === 'done' ? true : undefined));
    expect(textIn(await lastAnswer(chat_id))).toBe('One two three');
  });

  test('can be stopped, which ends the call of the model', async () => {
    const chat_id = await world.newChat();
    world.script(hanging('Wait'));
    const leave = await world.begin(CHAT, { message: 'x', chat_id });
    leave();
    expect((await world.owner.call('POST', `/api/chats/${chat_id}/stop`)).statusCode).toBe(204);
    await world.asked()[0]?.closed;
    await until(async () => ((await lastAnswer(chat_id)).state === 'stopped' ? true : undefined));
    expect((await world.owner.call('POST', `/api/chats/${chat_id}/stop`)).statusCode).toBe(204);
  });

  test('ends with its chat', async () => {
    const chat_id = await world.newChat();
    world.script(hanging('Wait'));
    await world.begin(CHAT, { message: 'x', chat_id });
    expect((await world.owner.call('DELETE', `/api/chats/${chat_id}`)).statusCode).toBe(204);
    await world.asked()[0]?.closed;
    expect((await world.owner.call('GET', `/api/chats/${chat_id}`)).statusCode).toBe(404);
  });

  test('whose process was killed is lost, and the chat continues', async () => {
    const chat_id = await world.newChat();
    await world.app.services.database.sql.query({
      text: `INSERT INTO chat_messages (chat_id, position, content, state, saved_at)
        VALUES ($1, 0, '{"text":"x","attachment":null}', NULL, now()),
          ($1, 1, '{"parts":[{"kind":"text","text":"Half"}],"problem":null}', 'open', now() - interval '1 minute')`,
      values: [chat_id],
    });
    expect(await lastAnswer(chat_id)).toMatchObject({ state: 'lost' });
    expect(await world.readChat(chat_id)).toMatchObject({ is_answering: false });
    world.script(says('Whole.'));
    await world.stream(CHAT, { message: 'Again', chat_id });
    const { messages } = await world.readChat(chat_id);
    expect(answerAt(messages, 1).state).toBe('lost');
    expect(textIn(answerAt(messages, 3))).toBe('Whole.');
  });

  test('is one of five at most', async () => {
    const five = await Promise.all(Array.from({ length: 5 }, () => world.newChat()));
    world.script(hanging('Wait'));
    await Promise.all(five.map((chat_id) => world.begin(CHAT, { message: 'x', chat_id })));
    const refused = await world.send(CHAT, { message: 'x', chat_id: await world.newChat() });
    expect(refused.statusCode).toBe(429);
    expect(refused.headers['retry-after']).toBeDefined();
    for (const chat_id of five) await world.owner.call('DELETE', `/api/chats/${chat_id}`);
  });
});
