import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import type { z } from 'zod';
import { implement, type NodeCall } from '../implement.ts';
import {
  buildConnection,
  callJson,
  type JsonAnswer,
  type JsonRequest,
  path,
} from '../kit/integration/call-json.ts';
import { readObject, requiredText } from '../kit/integration/object-input.ts';
import { collect, listIn } from '../kit/integration/paging.ts';
import { createCaller, readCredential } from '../kit/integration/run-caller.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { calCredential } from './credential.ts';
import { cal } from './definition.ts';

type Params = z.output<typeof cal.params>;

/** https://cal.com/docs/api-reference/v2/webhooks */
interface Calendar {
  readonly params: Params;
  call(request: JsonRequest): Promise<JsonAnswer>;
}

const TITLE = 'Cal.com';
const PAGE_SIZE = 250;
const MOST_WEBHOOKS = 1_000;

export const runCal = implement(cal, async (call: NodeCall<Params>) => {
  const connection = buildConnection(TITLE, calCredential, await readCredential(call, calCredential));
  const caller = createCaller(call);
  const operation = call.params.calOperation;
  const output = await OPERATIONS[operation]({
    params: call.params,
    call: (request) => callJson(caller, connection, request),
  });
  return { output: { success: true, operation, ...output } };
});

const OPERATIONS: Readonly<Record<Params['calOperation'], (calendar: Calendar) => Promise<JsonObject>>> = {
  async listWebhooks({ call }) {
    const webhooks = await collect(async (skip: number | undefined) => {
      const query = { take: PAGE_SIZE, skip: skip ?? 0 };
      const { body } = await call({ path: '/webhooks', query, effect: 'read' });
      const items = listIn(TITLE, body, 'data');
      return { items, next: items.length < PAGE_SIZE ? undefined : query.skip + PAGE_SIZE };
    }, MOST_WEBHOOKS);
    return { webhooks, count: webhooks.length };
  },
  async createWebhook({ params, call }) {
    const body = readValues(params);
    const answer = await call({ method: 'POST', path: '/webhooks', body, effect: 'unsafe' });
    return { webhook: readData(answer.body) };
  },
  async updateWebhook({ params, call }) {
    const request = { path: webhookPath(params), body: readValues(params) };
    const answer = await call({ method: 'PATCH', ...request, effect: 'idempotent' });
    return { webhook: readData(answer.body) };
  },
  async deleteWebhook({ params, call }) {
    await call({ method: 'DELETE', path: webhookPath(params), effect: 'idempotent' });
    return { deleted: true, webhookId: requiredText(params, 'calWebhookId') };
  },
};

const webhookPath = (params: Params): string => path`/webhooks/${requiredText(params, 'calWebhookId')}`;

function readValues(params: Params): JsonObject {
  const values = readObject(params, { mode: '', raw: 'calWebhook', selective: '' });
  if (Object.keys(values).length > 0) return values;
  throw refusedParam('calWebhook', 'enter at least one value, such as {"active": true}');
}

/** Answers carry what was asked for in `data`. */
const readData = (body: Json): Json => (isJsonObject(body) ? (body['data'] ?? body) : body);
