import { expect, test } from 'vitest';
import { createPortal, ECHO, useOwnTestApp } from '../../../testing/index.ts';
import { purgeConversations } from './service.ts';

const app = await useOwnTestApp();
const owner = await app.user();

const DAY_MS = 86_400_000;

/** A portal whose visitor has begun a conversation, and has said something in it. */
async function talked(say = true): Promise<{ workflow_id: string; conversation_id: string; run_id: string }> {
  const { id: workflow_id, url } = await createPortal(owner, ECHO);
  const begun = (await app.call('POST', `${url}/conversations`)).json<{
    id: string;
    visitor_token: string;
  }>();
  const body = { inputs: { text: 'x' }, conversation_id: begun.id };
  const headers = { 'x-visitor-token': begun.visitor_token };
  const answer = say ? await app.call('POST', `${url}/execute`, body, headers) : undefined;
  return { workflow_id, conversation_id: begun.id, run_id: String(answer?.headers['x-execution-id']) };
}

async function left(): Promise<{ conversations: unknown[]; turns: unknown[] }> {
  const { sql } = app.services.database;
  const [conversations, turns] = await Promise.all([
    sql.query<{ id: string }>({ text: 'SELECT id FROM portal_conversations' }),
    sql.query<{ run_id: string }>({ text: 'SELECT run_id FROM portal_turns' }),
  ]);
  return {
    conversations: conversations.rows.map(({ id }) => id),
    turns: turns.rows.map((row) => row.run_id),
  };
}

/** The daily job, some days from now. */
const purge = (in_days: number, retention_days: number) =>
  purgeConversations({ ...app.services, now: () => app.services.now() + in_days * DAY_MS }, retention_days);

test('conversations are removed when their last message is older than the setting; 0 keeps them', async () => {
  const old = await talked();
  await app.services.database.sql.query({
    text: "UPDATE portal_conversations SET updated_at = updated_at - interval '10 days' WHERE id = $1",
    values: [old.conversation_id],
  });
  const recent = await talked();
  expect(await purge(0, 0)).toBe(0);
  expect(await purge(0, 7)).toBe(1);
  expect(await left()).toEqual({ conversations: [recent.conversation_id], turns: [recent.run_id] });
  const run = await owner.call('GET', `/api/workflows/${old.workflow_id}/history/${old.run_id}`);
  expect(run.statusCode).toBe(200);
});

test('what was begun and never used goes after a day, and a message goes with its run', async () => {
  const unused = await talked(false);
  const { workflow_id, conversation_id, run_id } = await talked();
  await purge(0, 0);
  expect((await left()).conversations).toContain(unused.conversation_id);
  await purge(2, 0);
  expect((await left()).conversations).not.toContain(unused.conversation_id);
  expect((await left()).turns).toContain(run_id);

  const { sql } = app.services.database;
  await sql.query({ text: 'DELETE FROM runs WHERE id = $1', values: [run_id] });
  expect((await left()).turns).not.toContain(run_id);
  // A process that ended between the two leaves a message without a run.
  const lost = crypto.randomUUID();
  await sql.query({
    text: "INSERT INTO portal_turns (run_id, conversation_id, inputs, created_at) VALUES ($1, $2, '{}', $3)",
    values: [lost, conversation_id, new Date(app.services.now()).toISOString()],
  });
  const url = `/api/workflows/${workflow_id}/portal/conversations/${conversation_id}`;
  expect((await owner.call('GET', url)).json()).toMatchObject({ turns: [] });
  await purge(0, 0);
  expect((await left()).turns).toContain(lost);
  await purge(2, 0);
  expect((await left()).turns).not.toContain(lost);
  expect((await left()).conversations).not.toContain(conversation_id);
});
