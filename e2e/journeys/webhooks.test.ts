import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HistoryEntry, HistoryList } from '@millrace/contracts';
import {
  createWorkflow,
  executeUrl,
  graph,
  shareTestApp,
  type TestApp,
  type TestUser,
} from '@millrace/server/testing';
import examples from '@octokit/webhooks-examples';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** Recorded deliveries of a code-hosting platform. */
interface Delivery {
  readonly event: string;
  readonly payload: Record<string, unknown>;
}

const DELIVERIES: Delivery[] = (
  examples as unknown as { name: string; examples: Record<string, unknown>[] }[]
).flatMap(({ name, examples }) => examples.map((payload) => ({ event: name, payload })));
const PUSHES = DELIVERIES.filter(({ event }) => event === 'push');

interface Commit {
  readonly id: string;
  readonly message: string;
  readonly author: { name: string };
}

/** A service in the neighbourhood: it receives a commit and answers with its verdict. */
function startReviewer(): Promise<{
  server: Server;
  url: string;
  told: { id: string; key: string | undefined }[];
}> {
  const told: { id: string; key: string | undefined }[] = [];
  const read = async (request: IncomingMessage): Promise<string> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString('utf8');
  };
  const server = createServer((request, response) => {
    void read(request).then((text) => {
      const commit = JSON.parse(text) as { id: string };
      told.push({ id: commit.id, key: request.headers['idempotency-key'] as string | undefined });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ verdict: 'fine', short: commit.id.slice(0, 7) }));
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve({ server, told, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/commits` });
    });
  });
}

let app: TestApp;
let user: TestUser;
let reviewer: Awaited<ReturnType<typeof startReviewer>>;
beforeAll(async () => {
  reviewer = await startReviewer();
  app = await shareTestApp({ HTTP_ALLOW_PRIVATE_URLS: 'true' });
  user = await app.user();
});
afterAll(async () => {
  await app.close();
  reviewer.server.close();
});

/** Branches on the event, sends every commit to the service, and maps one JSON answer. */
const reviewing = (url: string) =>
  graph(
    [
      ['hook', 'textInput'],
      ['isPush', 'condition', { condition: '$hook.headers["x-github-event"] == "push"' }],
      ['each', 'loop', { arrayExpression: '$hook.body.commits' }],
      [
        'tell',
        'http',
        { curl: `curl -X POST ${url} -H "Content-Type: application/json" -d '{"id": "$each.item.id"}'` },
      ],
      [
        'summary',
        'jsonOutputMapper',
        {
          mappings: [
            { key: 'repository', value: '$hook.body.repository.full_name' },
            { key: 'commits', value: '$each.total' },
            { key: 'verdicts', value: '$each.results' },
          ],
        },
      ],
      [
        'ignored',
        'jsonOutputMapper',
        { mappings: [{ key: 'ignored', value: '$hook.headers["x-github-event"]' }] },
      ],
    ],
    [
      'hook>isPush',
      'isPush:true>each',
      'isPush:false>ignored',
      'each:loop>tell',
      'tell>each:loop',
      'each:done>summary',
    ],
  );

const deliver = (id: string, { event, payload }: Delivery, headers: Record<string, string> = {}) =>
  app.app.inject({
    method: 'POST',
    url: executeUrl(id),
    headers: { 'content-type': 'application/json', 'x-github-event': event, ...headers },
    payload: JSON.stringify(payload),
  });

describe('webhooks of a code-hosting platform, posted raw', () => {
  /** §4.1 rule 1: a body with an object under `inputs` is the wrapped shape; GitHub's `workflow_dispatch` has one. */
  const unwrapBody = (payload: unknown): unknown => {
    const { inputs } = payload as { inputs?: unknown };
    return typeof inputs === 'object' && inputs !== null ? inputs : payload;
  };

  it('every payload arrives as it was sent', async () => {
    const mirror = graph(
      [
        ['hook', 'textInput'],
        ['out', 'jsonOutputMapper', { mappings: [{ key: 'body', value: '$hook.body' }] }],
      ],
      ['hook>out'],
    );
    const id = await createWorkflow(user, mirror);
    expect(DELIVERIES.length).toBeGreaterThan(300);
    for (const delivery of DELIVERIES) {
      const answer = await deliver(id, delivery);
      expect(answer.statusCode).toBe(200);
      expect(answer.json<{ body: unknown }>().body).toEqual(unwrapBody(delivery.payload));
    }
  }, 60_000);

  it('a push loops over its commits, calls the service for each and answers one JSON object', async () => {
    const id = await createWorkflow(user, reviewing(reviewer.url));
    for (const push of PUSHES) {
      const commits = push.payload['commits'] as Commit[];
      reviewer.told.length = 0;
      const answer = await deliver(id, push);
      expect(answer.statusCode).toBe(200);
      const {
        repository,
        commits: count,
        verdicts,
      } = answer.json<{
        repository: string;
        commits: number;
        verdicts: { status: number; body: { short: string } }[];
      }>();
      expect(repository).toBe((push.payload['repository'] as { full_name: string }).full_name);
      expect(count).toBe(commits.length);
      expect(verdicts.map(({ body }) => body.short)).toEqual(commits.map((commit) => commit.id.slice(0, 7)));
      expect(reviewer.told.map((one) => one.id)).toEqual(commits.map((commit) => commit.id));
    }
  });

  it('every other event takes the other branch without calling the reviewer', async () => {
    const id = await createWorkflow(user, reviewing(reviewer.url));
    reviewer.told.length = 0;
    const others = DELIVERIES.filter(({ event }) => event !== 'push').filter((_, at) => at % 10 === 0);
    for (const delivery of others) {
      expect((await deliver(id, delivery)).json()).toEqual({ ignored: delivery.event });
    }
    expect(reviewer.told).toEqual([]);
  });

  it('a delivery that is sent again does nothing twice', async () => {
    const id = await createWorkflow(user, reviewing(reviewer.url));
    const push = PUSHES.find(({ payload }) => (payload['commits'] as Commit[]).length > 0);
    if (!push) throw new Error('no push with commits');
    reviewer.told.length = 0;
    const headers = { 'idempotency-key': 'delivery-72d3162e' };
    const first = await deliver(id, push, headers);
    const again = await deliver(id, push, headers);
    expect(again.body).toBe(first.body);
    expect(reviewer.told).toHaveLength((push.payload['commits'] as Commit[]).length);
  });

  it('the history keeps the payload and what every node made of it', async () => {
    const id = await createWorkflow(user, reviewing(reviewer.url));
    const push = PUSHES.find(({ payload }) => (payload['commits'] as Commit[]).length > 0);
    if (!push) throw new Error('no push with commits');
    await deliver(id, push);
    const list = (await user.call('GET', `/api/workflows/${id}/history`)).json<HistoryList>();
    const [item] = list.items;
    expect(item).toMatchObject({ status: 'success', trigger_source: 'API' });
    const entry = (await user.call('GET', `/api/workflows/${id}/history/${item?.id}`)).json<HistoryEntry>();
    expect((entry.inputs as { body: unknown }).body).toEqual(push.payload);
    const rows = entry.node_results.map(({ node_id, status }) => `${node_id} ${status}`);
    expect(rows).toEqual(
      expect.arrayContaining(['isPush success', 'tell success', 'summary success', 'ignored skipped']),
    );
  });

  it('a payload that a form carries is read as the form that it is', async () => {
    const content = graph(
      [
        ['hook', 'textInput'],
        ['out', 'jsonOutputMapper', { mappings: [{ key: 'payload', value: '$hook.body.payload' }] }],
      ],
      ['hook>out'],
    );
    const id = await createWorkflow(user, content);
    const [push] = PUSHES;
    const text = JSON.stringify(push?.payload);
    const answer = await app.app.inject({
      method: 'POST',
      url: executeUrl(id),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ payload: text }).toString(),
    });
    expect(answer.json()).toEqual({ payload: text });
  });
});
