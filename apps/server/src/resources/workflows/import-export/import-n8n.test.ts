import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ImportWarning, Workflow } from '@millrace/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shareTestApp, type TestApp, type TestUser } from '../../../testing/index.ts';

let app: TestApp;
let owner: TestUser;
let server: Server;
const received: { url: string | undefined; order: unknown; type: string | undefined; body: unknown }[] = [];
beforeAll(async () => {
  app = await shareTestApp({ HTTP_ALLOW_PRIVATE_URLS: 'true' });
  owner = await app.user();
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const { url, headers } = request;
      received.push({
        url,
        order: headers['x-order'],
        type: headers['content-type'],
        body: JSON.parse(body),
      });
      response.statusCode = url === '/ship/b' ? 500 : 200;
      response.setHeader('content-type', 'application/json').end('{"ok": true}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await app.close();
  server.close();
});

const node = (name: string, type: string, typeVersion: number, parameters: object) => ({
  id: `${name} of orders`,
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion,
  position: [0, 0],
  parameters,
});
const to = (...names: string[]) => names.map((name) => ({ node: name, type: 'main', index: 0 }));

/** As n8n exports it: a webhook, fields, a condition, a request, and two answers. */
const orders = () => ({
  name: 'Orders',
  nodes: [
    node('Webhook', 'webhook', 2, { httpMethod: 'POST', path: 'orders', responseMode: 'responseNode' }),
    node('Edit Fields', 'set', 3.4, {
      assignments: {
        assignments: [
          { name: 'name', type: 'string', value: '={{ $json.body.name.toUpperCase() }}' },
          { name: 'total', type: 'number', value: '={{ $json.body.price * $json.body.count }}' },
        ],
      },
    }),
    node('If', 'if', 2.2, {
      conditions: {
        conditions: [
          { leftValue: '={{ $json.total }}', rightValue: 100, operator: { type: 'number', operation: 'gt' } },
        ],
        combinator: 'and',
      },
    }),
    node('HTTP Request', 'httpRequest', 4.2, {
      method: 'POST',
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/orders`,
      sendQuery: true,
      queryParameters: { parameters: [{ name: 'who', value: '={{ $json.name }} & co' }] },
      sendHeaders: true,
      headerParameters: { parameters: [{ name: 'X-Order', value: '=no. {{ $json.total + 1 }}' }] },
      sendBody: true,
      bodyParameters: {
        parameters: [
          { name: 'total', value: '={{ $json.total }}' },
          { name: 'text', value: `it's "fixed"` },
        ],
      },
    }),
    node('Respond', 'respondToWebhook', 1.1, {
      respondWith: 'json',
      responseBody: `={"accepted": {{ $json.ok }}, "text": "{{ $('Edit Fields').item.json.name }}!"}`,
    }),
    node('Refuse', 'respondToWebhook', 1.1, {
      respondWith: 'text',
      responseBody: '=Too small: {{ $json.total }}',
    }),
  ],
  connections: {
    Webhook: { main: [to('Edit Fields')] },
    'Edit Fields': { main: [to('If')] },
    If: { main: [to('HTTP Request'), to('Refuse')] },
    'HTTP Request': { main: [to('Respond')] },
  },
  active: true,
  settings: { executionOrder: 'v1' },
});

/** As n8n exports it: a request for each entry of a list, one of which is refused, then one answer for all of them. */
const shipments = () => ({
  name: 'Shipments',
  nodes: [
    node('Webhook', 'webhook', 2, { httpMethod: 'POST', path: 'shipments', responseMode: 'responseNode' }),
    node('Split Out', 'splitOut', 1, { fieldToSplitOut: 'body.parcels' }),
    {
      ...node('Ship', 'httpRequest', 4.2, {
        method: 'POST',
        url: `=http://127.0.0.1:${(server.address() as AddressInfo).port}/ship/{{ $json.id }}`,
        sendBody: true,
        bodyParameters: { parameters: [{ name: 'place', value: '={{ $itemIndex }}' }] },
      }),
      onError: 'continueRegularOutput',
    },
    node('Label', 'httpRequest', 4.2, {
      method: 'POST',
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/label`,
      sendBody: true,
      bodyParameters: { parameters: [{ name: 'of', value: '={{ $json.id }}' }] },
    }),
    node('Aggregate', 'aggregate', 1, { aggregate: 'aggregateAllItemData' }),
    node('Respond', 'respondToWebhook', 1.1, {
      respondWith: 'json',
      responseBody: '={"count": {{ $json.data.length }}}',
    }),
  ],
  connections: {
    Webhook: { main: [to('Split Out')] },
    'Split Out': { main: [to('Ship', 'Label')] },
    Ship: { main: [to('Aggregate')] },
    Aggregate: { main: [to('Respond')] },
  },
});

/** Imports a file; `publish` and `call` use its webhook. */
async function importFile(document: object) {
  const made = await owner.call('POST', '/api/workflows/import', { document, file_name: 'file.json' });
  expect(made.statusCode, made.body).toBe(201);
  const { workflow, warnings } = made.json<{ workflow: Workflow; warnings: ImportWarning[] }>();
  const webhook = workflow.nodes.find(({ type }) => type === 'webhookTrigger');
  return {
    workflow,
    warnings,
    webhook,
    async publish() {
      expect((await owner.call('POST', `/api/workflows/${workflow.id}/publish`, {})).statusCode).toBe(200);
    },
    call: (payload: object) =>
      app.app.inject({
        method: 'POST',
        url: `/api/webhooks/${webhook?.id}`,
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify(payload),
      }),
  };
}

describe('import of an export of n8n', () => {
  it('is a draft with a report; published it answers calls as it did in n8n', async () => {
    const { workflow, warnings, webhook, publish, call } = await importFile(orders());
    expect(workflow.name).toBe('Orders');
    expect(warnings).toContainEqual({
      field: 'nodes.1.label',
      message: 'Edit Fields: Its label is "editFields" here, so that expressions can name it',
    });

    expect(webhook?.id).toMatch(/^[0-9a-z]{16}$/);
    expect((await call({})).statusCode).toBe(404);

    await publish();
    const large = await call({ name: 'Ada', price: 30, count: 5 });
    expect(large.statusCode, large.body).toBe(200);
    expect(large.json()).toEqual({ accepted: true, text: 'ADA!' });
    expect(received).toEqual([
      {
        url: '/orders?who=ADA%20%26%20co',
        order: 'no. 151',
        type: 'application/json',
        body: { total: 150, text: `it's "fixed"` },
      },
    ]);
    const small = await call({ name: 'Bob', price: 1, count: 2 });
    expect(small.body).toBe('Too small: 2');
    expect(received).toHaveLength(1);
  });

  it('runs a node for each item of a list, as n8n does', async () => {
    received.length = 0;
    const { publish, call } = await importFile(shipments());
    await publish();
    const answer = await call({ parcels: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] });
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.json()).toEqual({ count: 3 });
    const calls = received.map(({ url, body }) => [url, body]);
    expect(calls.filter(([url]) => url !== '/label')).toEqual([
      ['/ship/a', { place: 0 }],
      ['/ship/b', { place: 1 }],
      ['/ship/c', { place: 2 }],
    ]);
    expect(calls.filter(([url]) => url === '/label')).toEqual(
      ['a', 'b', 'c'].map((id) => ['/label', { of: id }]),
    );
  });
});

describe('credentials of an export', () => {
  const model = {
    id: 'm',
    name: 'Chat Model',
    type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
    typeVersion: 1,
    position: [0, 0],
    parameters: { model: 'gpt-4o-mini' },
    credentials: { openAiApi: { id: '2', name: 'Models' } },
  };
  const exported = () => ({
    name: 'Bot',
    nodes: [
      node('Start', 'manualTrigger', 1, {}),
      {
        ...node('Send', 'telegram', 1.2, { chatId: '1', text: 'hi' }),
        credentials: { telegramApi: { id: '1', name: 'Our bot' } },
      },
      {
        ...node('Chain', 'x', 1.4, { promptType: 'define', text: 'hi' }),
        type: '@n8n/n8n-nodes-langchain.chainLlm',
      },
      model,
    ],
    connections: {
      Start: { main: [to('Send', 'Chain')] },
      'Chat Model': { ai_languageModel: [[{ node: 'Chain', type: 'ai_languageModel', index: 0 }]] },
    },
  });
  const choices = ({ nodes }: Workflow) =>
    Object.fromEntries(nodes.map(({ type, data }) => [type, data['credentialId']]));
  async function importAs(user: TestUser) {
    const made = await user.call('POST', '/api/workflows/import', { document: exported() });
    expect(made.statusCode, made.body).toBe(201);
    return made.json<{ workflow: Workflow; warnings: ImportWarning[] }>();
  }
  async function addCredential(user: TestUser, body: object): Promise<string> {
    const made = await user.call('POST', '/api/credentials', body);
    expect(made.statusCode, made.body).toBe(201);
    return made.json<{ id: string }>().id;
  }

  it('are chosen where the person has one of that name which the node takes', async () => {
    const person = await app.user();
    const bot = await addCredential(person, {
      name: 'Our bot',
      type: 'telegram',
      config: { bot_token: '123:abc' },
    });
    const models = await addCredential(person, {
      name: 'Models',
      type: 'openai',
      config: { api_key: 'sk-test' },
    });
    const { workflow, warnings } = await importAs(person);
    expect(choices(workflow)).toMatchObject({ telegram: bot, llm: models });
    const lines = warnings.filter(({ field }) => field.endsWith('.credentialId'));
    expect(lines.map(({ message }) => message)).toEqual([
      expect.stringContaining('Your credential "Our bot" was chosen'),
      expect.stringContaining('Your credential "Models" was chosen'),
    ]);
  });

  it('are asked for by name where there is none, or one of another type or another person', async () => {
    const person = await app.user();
    await addCredential(person, { name: 'Our bot', type: 'openai', config: { api_key: 'sk-test' } });
    const { workflow, warnings } = await importAs(person);
    expect(choices(workflow)).toMatchObject({ telegram: undefined, llm: undefined });
    expect(warnings.map(({ message }) => message)).toContain(
      'Send: Choose a credential; in n8n it was "Our bot" of the type "telegramApi"',
    );
  });
});
