import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { describeOnBoth } from '../execution/journal/testing/databases.ts';
import { leaveBodiesUnread, readJsonBody } from './bodies/json-bodies.ts';
import { createBodyBudget, createReadBody } from './bodies/read-body.ts';
import { installErrorHandling, invalidInput } from './errors.ts';

const LIMIT = 1024 * 1024;
const readBody = createReadBody(createBodyBudget(LIMIT));

/** Reads bodies the way bound endpoints do. */
function installBodies(app: FastifyInstance): void {
  leaveBodiesUnread(app);
  app.addHook('preHandler', async (request, reply) => {
    if (request.method === 'POST') request.body = await readJsonBody(readBody, { request, reply }, LIMIT);
  });
}

describe('a body with a key that reaches a prototype', () => {
  const app = Fastify();
  installErrorHandling(app);
  installBodies(app);
  app.post('/', (request) => request.body);
  const post = (payload: string, type = 'application/json') =>
    app.inject({ method: 'POST', url: '/', headers: { 'content-type': type }, payload });

  test.each<[string, (string | number)[]]>([
    ['{"__proto__":1}', ['body', '__proto__']],
    ['{"a":[1,{"b":{"__proto__":{"x":1}}}]}', ['body', 'a', 1, 'b', '__proto__']],
    [String.raw`{"a":{"\u005f_proto__":1}}`, ['body', 'a', '__proto__']],
    [String.raw`{"\u005F\u005Fproto\u005F\u005F":1}`, ['body', '__proto__']],
    ['[{"constructor":{"prototype":{}}}]', ['body', 0, 'constructor']],
    [String.raw`{"\u0063onstructor":{"prototype":1}}`, ['body', 'constructor']],
    ['{"constructor":"a name"}', ['body', 'constructor']],
    ['{"prototype":{}}', ['body', 'prototype']],
  ])('%s is 422 and says where', async (payload, loc) => {
    const answer = await post(payload);
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({ code: 'invalid_input', detail: [{ loc, type: 'key_forbidden' }] });
  });

  test.each([
    '{"text":"__proto__ and constructor are words"}',
    String.raw`{"a\u0000":"\u00e9"}`,
    '\uFEFF[1]',
  ])('%j is parsed as it is', async (payload) => {
    const answer = await post(payload);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual(JSON.parse(payload.replace('\uFEFF', '')));
  });

  test.each(['{', 'nothing', '{"a":1}}'])('%j is no JSON', async (payload) => {
    const answer = await post(payload, 'application/json; charset=utf-8');
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({ detail: [{ loc: ['body'], type: 'json_invalid' }] });
  });
});

test.each([
  [100, []],
  [5_000, [{ loc: ['body'], msg: 'and 4900 more', type: 'more' }]],
])(
  'an answer about %i wrong elements names the first hundred, and says how many it leaves out',
  (count, more) => {
    const { error } = z.array(z.number()).safeParse(Array.from({ length: count }, () => 'text'));
    const { detail } = invalidInput(error ?? new z.ZodError([]), 'body');
    const named = Array.from(
      { length: 100 },
      (_, at) => expect.objectContaining({ loc: ['body', at] }) as object,
    );
    expect(detail).toEqual([...named, ...more]);
  },
);

describeOnBoth('a NUL character that gets as far as the database', (kind) => {
  let database: Database;
  let app: FastifyInstance;
  beforeAll(async () => {
    database = await kind.open();
    app = Fastify();
    installErrorHandling(app);
    installBodies(app);
    const echo = (value: unknown) => database.sql.query({ text: 'SELECT $1::text AS text', values: [value] });
    app.post<{ Body: { a: [string, { b: string }] } }>('/body', ({ body }) => echo(body.a[1].b));
    app.get<{ Querystring: { q: string } }>('/query', ({ query }) => echo(query.q));
    app.get<{ Params: { name: string } }>('/path/:name', ({ params }) => echo(params.name));
    app.get('/own', () => echo('made here \0'));
  });
  afterAll(async () => {
    await app.close();
    await database.close();
  });

  test.each<[string, object | undefined, (string | number)[]]>([
    ['/body', { a: ['x', { b: 'y\0' }] }, ['body', 'a', 1, 'b']],
    ['/query?q=%00', undefined, ['query', 'q']],
    ['/path/x%00', undefined, ['path', 'name']],
    ['/own', undefined, ['body']],
  ])('%s is 422 and names the field', async (url, payload, loc) => {
    const answer = await app.inject(payload ? { method: 'POST', url, payload } : { method: 'GET', url });
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({
      code: 'invalid_input',
      detail: [{ loc, msg: 'must not contain NUL characters' }],
    });
  });

  test('half characters are kept as U+FFFD', async () => {
    const { rows } = await database.sql.query<{ text: string }>({
      text: 'SELECT $1::text AS text',
      values: ['a\ud800b'],
    });
    expect(rows).toEqual([{ text: 'a\uFFFDb' }]);
  });
});
