import type { BoardCard, BoardColumn, BoardState, BoardSummary, CardActivity } from '@millrace/contracts';
import { BOARD_LIMITS, CARD_LIMITS } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '../../testing/index.ts';
import { createWorkflow, ECHO } from '../executions/testing/workflows.ts';

const app = await useTestApp();
const owner = await app.user('Owner');
const reader = await app.user('Reader');
const writer = await app.user('Writer');
const stranger = await app.user('Stranger');

const URL = '/api/boards';
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

async function create(user = owner): Promise<BoardSummary> {
  const answer = await user.call('POST', URL, { name: 'Launch' });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<BoardSummary>();
}
const state = async (id: string, user = owner) => (await user.call('GET', `${URL}/${id}`)).json<BoardState>();
async function card(board: string, body: object = {}, user = owner): Promise<BoardCard> {
  const answer = await user.call('POST', `${URL}/${board}/cards`, { title: 'Card', ...body });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<BoardCard>();
}
async function shared(): Promise<string> {
  const { id } = await create();
  await owner.call('POST', `${URL}/${id}/shares`, { email: reader.email });
  await owner.call('POST', `${URL}/${id}/shares`, { email: writer.email, permission: 'write' });
  return id;
}
const loc = (answer: { json<T>(): T }) => answer.json<{ detail: { loc: unknown }[] }>().detail[0]?.loc;

describe('boards', () => {
  test('201: a board has four columns and no cards', async () => {
    const board = await create();
    expect(board).toMatchObject({ permission: 'owner', column_count: 4, card_count: 0, mapper_model: null });
    const { columns, cards, has_active_runs } = await state(board.id);
    expect(columns.map(({ name }) => name)).toEqual(['To do', 'In progress', 'Review', 'Done']);
    expect([cards, has_active_runs]).toEqual([[], false]);
  });

  test('200: the list has own boards first and says how others reached the caller', async () => {
    const id = await shared();
    const mine = await create(reader);
    const list = (await reader.call('GET', URL)).json<BoardSummary[]>();
    expect(list[0]?.id).toBe(mine.id);
    expect(list.find((board) => board.id === id)).toMatchObject({
      permission: 'read',
      is_shared: true,
      shared_by: owner.email,
    });
    expect((await stranger.call('GET', URL)).json()).toEqual([]);
  });

  test('PATCH: only the owner; 422 names a model without its credential', async () => {
    const id = await shared();
    const patch = (body: object, user = owner) => user.call('PATCH', `${URL}/${id}`, body);
    expect((await patch({ name: 'Renamed', description: 'x' })).json()).toMatchObject({ name: 'Renamed' });
    expect((await patch({ name: 'y' }, writer)).statusCode).toBe(403);
    expect((await patch({ name: 'y' }, stranger)).statusCode).toBe(404);
    const alone = await patch({ mapper_model: 'm' });
    expect([alone.statusCode, loc(alone)]).toEqual([422, ['body', 'mapper_credential_id']]);
    const foreign = await patch({ mapper_model: 'm', mapper_credential_id: UNKNOWN_ID });
    expect(foreign.statusCode).toBe(404);
    const qdrant = await owner.call('POST', '/api/credentials', {
      name: `no model ${Math.random()}`,
      type: 'bearer',
      config: { bearer_token: 'abcdefghij' },
    });
    const wrong = await patch({ mapper_model: 'm', mapper_credential_id: qdrant.json<{ id: string }>().id });
    expect([wrong.statusCode, loc(wrong)]).toEqual([422, ['body', 'mapper_credential_id']]);
  });

  test('DELETE: only the owner, with everything on it', async () => {
    const id = await shared();
    await card(id);
    expect((await writer.call('DELETE', `${URL}/${id}`)).statusCode).toBe(403);
    expect((await owner.call('DELETE', `${URL}/${id}`)).statusCode).toBe(204);
    expect((await owner.call('GET', `${URL}/${id}`)).statusCode).toBe(404);
  });

  test('§5.7, §5.8: who reads changes nothing, who writes changes all but the board and its workflows', async () => {
    const id = await shared();
    const { columns } = await state(id);
    const [todo, doing] = columns;
    const path = `${URL}/${id}`;
    expect((await reader.call('POST', `${path}/cards`, { title: 'x' })).statusCode).toBe(403);
    expect((await reader.call('POST', `${path}/columns`, { name: 'x' })).statusCode).toBe(403);
    const { id: card_id } = await card(id, {}, writer);
    const one = `${path}/cards/${card_id}`;
    const refused = [
      await reader.call('PATCH', one, { title: 'x' }),
      await reader.call('DELETE', one),
      await reader.call('POST', `${one}/move`, { to_column_id: doing?.id }),
      await reader.call('POST', `${one}/run`),
      await reader.call('POST', `${one}/stop`),
      await reader.call('POST', `${one}/comments`, { content: 'x' }),
    ];
    expect(refused.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403, 403, 403, 403]);
    expect((await reader.call('GET', one)).statusCode).toBe(200);
    expect((await stranger.call('GET', one)).statusCode).toBe(404);
    const own = await createWorkflow(writer, ECHO);
    await writer.call('POST', `/api/workflows/${own}/shares`, { email: owner.email });
    const column = `${path}/columns/${todo?.id}`;
    expect((await writer.call('PATCH', column, { name: 'Ideas' })).statusCode).toBe(200);
    expect((await writer.call('PATCH', column, { workflow_ids: [own] })).statusCode).toBe(403);
    expect((await owner.call('PATCH', column, { workflow_ids: [own] })).statusCode).toBe(200);
  });

  test('the revision grows with every change and not with reads', async () => {
    const { id } = await create();
    const revision = async () =>
      (await owner.call('GET', `${URL}/${id}/revision`)).json<{ revision: number }>().revision;
    const first = await revision();
    await state(id);
    expect(await revision()).toBe(first);
    await card(id);
    expect(await revision()).toBe(first + 1);
    expect((await stranger.call('GET', `${URL}/${id}/revision`)).statusCode).toBe(404);
  });
});

describe('columns', () => {
  test('201 at the end or before a place that is taken; 409 beyond the limit', async () => {
    const { id } = await create();
    const add = async (body: object) =>
      (await owner.call('POST', `${URL}/${id}/columns`, { name: 'x', ...body })).json<BoardColumn>();
    await add({ name: 'last' });
    await add({ name: 'second', position: 1, color: 'red' });
    const { columns } = await state(id);
    expect(columns.map(({ name }) => name)).toEqual([
      'To do',
      'second',
      'In progress',
      'Review',
      'Done',
      'last',
    ]);
    for (let at = 6; at < BOARD_LIMITS.columns; at++) await add({});
    expect((await owner.call('POST', `${URL}/${id}/columns`, { name: 'x' })).statusCode).toBe(409);
  });

  test('PATCH: chain in its order, 404 for a workflow that the owner cannot see, 422 for a wrong field', async () => {
    const { id } = await create();
    const [column] = (await state(id)).columns;
    const patch = (body: object) => owner.call('PATCH', `${URL}/${id}/columns/${column?.id}`, body);
    const [a, b] = [await createWorkflow(owner, ECHO), await createWorkflow(owner, ECHO)];
    const changed = await patch({ workflow_ids: [b, a, b], ai_instructions: 'be brief', auto_advance: true });
    expect(changed.json()).toMatchObject({
      workflows: [{ workflow_id: b }, { workflow_id: a }, { workflow_id: b }],
      ai_instructions: 'be brief',
      auto_advance: true,
    });
    const foreign = await createWorkflow(stranger, ECHO);
    expect((await patch({ workflow_ids: [foreign] })).statusCode).toBe(404);
    expect((await patch({ color: 'mauve' })).statusCode).toBe(422);
    expect((await patch({ name: ' ' })).statusCode).toBe(422);
    expect((await owner.call('PATCH', `${URL}/${id}/columns/${UNKNOWN_ID}`, { name: 'x' })).statusCode).toBe(
      404,
    );
    const other = await create();
    expect(
      (await owner.call('PATCH', `${URL}/${other.id}/columns/${column?.id}`, { name: 'x' })).statusCode,
    ).toBe(404);
  });

  test('DELETE: 409 with cards, 204 without; its cards can be deleted at once', async () => {
    const { id } = await create();
    const [column] = (await state(id)).columns;
    const path = `${URL}/${id}/columns/${column?.id}`;
    await card(id);
    await card(id);
    expect((await owner.call('DELETE', path)).statusCode).toBe(409);
    expect((await owner.call('DELETE', `${path}/cards`)).statusCode).toBe(204);
    expect((await state(id)).cards).toEqual([]);
    expect((await owner.call('DELETE', path)).statusCode).toBe(204);
    expect((await owner.call('DELETE', path)).statusCode).toBe(404);
  });
});

describe('cards', () => {
  test('201 in the first column; titles and content have limits', async () => {
    const { id } = await create();
    const made = await card(id, { content: '# Plan\n<script>alert(1)</script>' });
    expect(made).toMatchObject({ position: 0, run_status: 'idle', card_metadata: { created_by: 'Owner' } });
    const post = (body: object) => owner.call('POST', `${URL}/${id}/cards`, body);
    expect(loc(await post({ title: '' }))).toEqual(['body', 'title']);
    expect(loc(await post({ title: 'x', content: 'x'.repeat(CARD_LIMITS.content + 1) }))).toEqual([
      'body',
      'content',
    ]);
    expect((await post({ title: 'x', column_id: UNKNOWN_ID })).statusCode).toBe(404);
    const large = await post({ title: 'x', content: 'x'.repeat(3_000_000) });
    expect(large.statusCode).toBe(413);
  });

  test('lists show the beginning of the content, and a card all of it', async () => {
    const { id } = await create();
    const content = 'x'.repeat(2_000);
    const { id: card_id } = await card(id, { content });
    expect((await state(id)).cards[0]).toMatchObject({
      content: 'x'.repeat(CARD_LIMITS.excerpt),
      is_excerpt: true,
    });
    const read = await owner.call('GET', `${URL}/${id}/cards/${card_id}`);
    expect(read.json()).toMatchObject({ content, is_excerpt: false, runs: [], attachments: [] });
  });

  test('positions: a card moved to a taken position is placed before the present one, also repeatedly, and the order stays', async () => {
    const { id } = await create();
    const [column] = (await state(id)).columns;
    const zero = await card(id, { title: 'zero' });
    await card(id, { title: 'first' });
    const last = await card(id, { title: 'last' });
    const expected = ['last'];
    for (let at = 0; at < 60; at++) {
      const { cards } = await state(id);
      const before = cards[2]?.position;
      await card(id, { title: `c${at}`, column_id: column?.id, position: before });
      expected.unshift(`c${at}`);
    }
    const { cards } = await state(id);
    expect(cards.map(({ title }) => title)).toEqual(['zero', 'first', ...expected]);
    expect(new Set(cards.map(({ position }) => position)).size).toBe(63);
    const moved = await owner.call('POST', `${URL}/${id}/cards/${last.id}/move`, {
      to_column_id: column?.id,
      position: zero.position,
    });
    expect(moved.statusCode).toBe(200);
    expect((await state(id)).cards[0]?.title).toBe('last');
  });

  test('pages, filters and searches; words in comments count', async () => {
    const { id } = await create();
    const [first, second] = (await state(id)).columns;
    const plain = await card(id, { title: 'Alpha 100%' });
    await card(id, { title: 'Beta', content: 'about 100 things', column_id: second?.id });
    await owner.call('POST', `${URL}/${id}/cards/${plain.id}/comments`, { content: 'needle' });
    const list = async (query: string) =>
      (await owner.call('GET', `${URL}/${id}/cards?${query}`)).json<{ cards: BoardCard[]; total: number }>();
    const titles = async (query: string) => (await list(query)).cards.map(({ title }) => title);
    expect(await titles('search=needle')).toEqual(['Alpha 100%']);
    expect(await titles('search=100%25')).toEqual(['Alpha 100%']);
    expect(await titles(`column_id=${second?.id}`)).toEqual(['Beta']);
    expect(await titles('run_status=running')).toEqual([]);
    expect(await list('limit=1&offset=1')).toMatchObject({ total: 2, cards: [{ title: 'Beta' }] });
    expect((await owner.call('GET', `${URL}/${id}/cards?run_status=x`)).statusCode).toBe(422);
    expect(first?.card_count).toBe(0);
  });

  test('a deleted card is not found by anything, until it is restored to its place', async () => {
    const { id } = await create();
    const [, second] = (await state(id)).columns;
    const made = await card(id);
    await card(id, { title: 'other' });
    const path = `${URL}/${id}/cards/${made.id}`;
    expect((await owner.call('POST', `${path}/restore`)).statusCode).toBe(404);
    expect((await owner.call('DELETE', path)).statusCode).toBe(204);
    const answers = [
      await owner.call('GET', path),
      await owner.call('PATCH', path, { title: 'x' }),
      await owner.call('DELETE', path),
      await owner.call('POST', `${path}/move`, { to_column_id: second?.id }),
      await owner.call('POST', `${path}/run`),
      await owner.call('POST', `${path}/stop`),
      await owner.call('POST', `${path}/comments`, { content: 'x' }),
      await owner.call('POST', `${path}/attachments`, {}),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404, 404, 404, 404, 404]);
    expect((await owner.call('POST', `${path}/restore`)).json()).toMatchObject({ position: made.position });
    expect((await state(id)).cards.map(({ title }) => title)).toEqual(['Card', 'other']);
  });

  test('a deleted card whose column was deleted, too, is restored at the end of the first column', async () => {
    const { id } = await create();
    const { columns } = await state(id);
    const made = await card(id, { title: 'kept', column_id: columns[1]?.id });
    await card(id, { title: 'first' });
    const path = `${URL}/${id}/cards/${made.id}`;
    expect((await owner.call('DELETE', path)).statusCode).toBe(204);
    expect((await owner.call('DELETE', `${URL}/${id}/columns/${columns[1]?.id}`)).statusCode).toBe(204);
    expect((await state(id)).cards.map(({ title }) => title)).toEqual(['first']);
    const restored = await owner.call('POST', `${path}/restore`);
    expect(restored.json()).toMatchObject({ column_id: columns[0]?.id, run_status: 'idle' });
    expect((await state(id)).cards.map(({ title }) => title)).toEqual(['first', 'kept']);
  });

  test('409: without any column a deleted card waits for the next one', async () => {
    const { id } = await create();
    const path = `${URL}/${id}/cards/${(await card(id)).id}`;
    await owner.call('DELETE', path);
    for (const column of (await state(id)).columns) {
      expect((await owner.call('DELETE', `${URL}/${id}/columns/${column.id}`)).statusCode).toBe(204);
    }
    expect((await owner.call('POST', `${path}/restore`)).statusCode).toBe(409);
    const added = await owner.call('POST', `${URL}/${id}/columns`, { name: 'New' });
    expect((await owner.call('POST', `${path}/restore`)).json()).toMatchObject({
      column_id: added.json<BoardColumn>().id,
    });
  });

  test('the first cards of each column are in the state, the rest is paged', async () => {
    const { id } = await create();
    const [first, second] = (await state(id)).columns;
    await app.services.database.sql.query({
      text: `INSERT INTO board_cards (board_id, column_id, title, content, position)
        SELECT $1, $2, 'c' || n, '', n FROM generate_series(1, 1000) n`,
      values: [id, first?.id],
    });
    await card(id, { title: 'elsewhere', column_id: second?.id });
    const { cards, columns } = await state(id);
    expect(cards).toHaveLength(BOARD_LIMITS.state_cards);
    expect(cards.some(({ title }) => title === 'elsewhere')).toBe(true);
    expect(columns[0]?.card_count).toBe(1000);
    const rest = await owner.call('GET', `${URL}/${id}/cards?column_id=${first?.id}&offset=499&limit=500`);
    expect(rest.json()).toMatchObject({ total: 1000, cards: { 0: { title: 'c500' } } });
  });
});

describe('comments and attachments', () => {
  test('comments: 201, 422 empty or too long, 413 for 10 MB; deleted by author or owner alone', async () => {
    const id = await shared();
    const { id: card_id } = await card(id);
    const path = `${URL}/${id}/cards/${card_id}`;
    const post = (content: string, user = owner) => user.call('POST', `${path}/comments`, { content });
    const mine = (await post('**Mine** <img src=x onerror=alert(1)>')).json<CardActivity>();
    expect(mine).toMatchObject({ kind: 'comment', actor_name: 'Owner' });
    const theirs = (await post('theirs', writer)).json<CardActivity>();
    expect((await post(' ')).statusCode).toBe(422);
    expect((await post('x'.repeat(CARD_LIMITS.comment + 1))).statusCode).toBe(422);
    expect((await post('x'.repeat(10_000_000))).statusCode).toBe(413);
    const remove = (activity: string, user = owner) => user.call('DELETE', `${path}/activities/${activity}`);
    expect((await remove(mine.id, writer)).statusCode).toBe(403);
    expect((await remove(theirs.id, reader)).statusCode).toBe(403);
    expect((await remove(theirs.id, writer)).statusCode).toBe(204);
    expect((await remove(theirs.id)).statusCode).toBe(404);
    const { activities } = (await owner.call('GET', path)).json<{ activities: CardActivity[] }>();
    expect(activities.map(({ kind }) => kind)).toEqual(['comment', 'created']);
    const created = activities.find(({ kind }) => kind === 'created');
    expect((await remove(created?.id ?? '')).statusCode).toBe(404);
    expect((await remove(UNKNOWN_ID)).statusCode).toBe(404);
  });

  async function attach(path: string, user = owner, text = 'hello') {
    const form = new FormData();
    form.set('file', new Blob([text]), 'note.txt');
    const request = new Request('http://localhost', { method: 'POST', body: form });
    return user.call('POST', `${path}/attachments`, Buffer.from(await request.arrayBuffer()), {
      'content-type': request.headers.get('content-type') ?? '',
    });
  }

  test('attachments are files of the owner, read by all who see the card and removed by who may write', async () => {
    const id = await shared();
    const { id: card_id } = await card(id);
    const path = `${URL}/${id}/cards/${card_id}`;
    expect((await attach(path, reader)).statusCode).toBe(403);
    expect((await attach(path, stranger)).statusCode).toBe(404);
    expect((await owner.call('POST', `${path}/attachments`, {})).statusCode).toBe(415);
    const added = await attach(path, writer);
    expect(added.statusCode, added.body).toBe(201);
    const { id: attachment, file_id } = added.json<{ id: string; file_id: string }>();
    const file = (await owner.call('GET', `/api/files/${file_id}`)).json();
    expect(file).toMatchObject({ filename: 'note.txt', download_url: null });
    const url = `${path}/attachments/${attachment}`;
    const download = await reader.call('GET', url);
    expect([download.body, download.headers['content-disposition']]).toEqual([
      'hello',
      expect.stringContaining('attachment'),
    ]);
    expect((await stranger.call('GET', url)).statusCode).toBe(404);
    expect((await reader.call('DELETE', url)).statusCode).toBe(403);
    expect((await owner.call('GET', `${path}/attachments/${UNKNOWN_ID}`)).statusCode).toBe(404);
    expect((await writer.call('DELETE', url)).statusCode).toBe(204);
    expect((await owner.call('DELETE', url)).statusCode).toBe(404);
  });

  test('409 beyond the limit leaves no file behind', async () => {
    const { id } = await create();
    const { id: card_id } = await card(id);
    const path = `${URL}/${id}/cards/${card_id}`;
    const { sql } = app.services.database;
    const first = (await attach(path)).json<{ file_id: string }>();
    await sql.query({
      text: `WITH f AS (INSERT INTO files (owner_id, filename, storage_key, mime_type, size_bytes, sha256)
          SELECT owner_id, filename, storage_key || n, mime_type, size_bytes, sha256
          FROM files, generate_series(2, ${CARD_LIMITS.attachments}) n WHERE id = $1 RETURNING id)
        INSERT INTO board_attachments (card_id, file_id) SELECT $2, id FROM f`,
      values: [first.file_id, card_id],
    });
    const count = async () => (await owner.call('GET', '/api/files')).json<{ total: number }>().total;
    const before = await count();
    expect((await attach(path)).statusCode).toBe(409);
    expect(await count()).toBe(before);
  });
});
