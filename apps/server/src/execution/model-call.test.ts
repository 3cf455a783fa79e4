import { chatStream, type SeenCall, startFakeProvider } from '@millrace/models/testing';
import { expect, test } from 'vitest';
import { openPostgres } from '../adapters/postgres/open.ts';
import { createWorkflow, executeUrl, graph, until } from '../resources/executions/testing/workflows.ts';
import { createTestApp } from '../testing/test-app.ts';
import { describeOnPostgres, openPostgresForTest, silent } from './journal/testing/databases.ts';

const isRepair = ({ body }: SeenCall) => JSON.stringify(body).includes('That cannot be used');

describeOnPostgres('a run that leaves its process between two calls of a model', () => {
  test('does not repeat the call that was finished', async () => {
    const postgres = await openPostgresForTest();
    let canAnswer = false;
    const provider = await startFakeProvider((call) => {
      if (!isRepair(call)) return { chunks: chatStream(['not JSON']) };
      // The process goes while the second call is open.
      return canAnswer ? { chunks: chatStream(['{"mood": "glad"}']) } : { chunks: [], end: 'hang' };
    });
    const open = () =>
      createTestApp({
        database: openPostgres({ url: postgres.url, log: silent }),
        env: { HTTP_ALLOW_PRIVATE_URLS: 'true' },
      });
    const one = await open();
    const user = await one.user();
    const made = await user.call('POST', '/api/credentials', {
      name: 'models',
      type: 'custom',
      config: { api_key: 'k-0123456789', base_url: provider.url },
    });
    const credentialId = made.json<{ id: string }>().id;
    const ask = { credentialId, model: 'm1', userMessage: 'How is Ada?', jsonOutputEnabled: true };
    const content = graph(
      [
        ['start', 'textInput'],
        ['ask', 'llm', ask],
        ['out', 'output', { message: '$ask.mood' }],
      ],
      ['start>ask', 'ask>out'],
    );
    const id = await createWorkflow(user, content);
    const abandoned = user.call('POST', executeUrl(id), { text: 'hi' });
    await until(async () => provider.seen.some(isRepair));

    canAnswer = true;
    const two = await open();
    await one.services.execution.drain(0);
    await abandoned;
    const headers = { authorization: `Bearer ${user.access_token}` };
    const entry = await until(async () => {
      const list = await two.call('GET', `/api/workflows/${id}/history`, undefined, headers);
      return list
        .json<{ items: { status: string; outputs: unknown }[] }>()
        .items.find(({ status }) => status === 'success');
    });
    expect(entry.status).toBe('success');
    expect(provider.seen.map(isRepair)).toEqual([false, true, true]);
    await two.services.traces.flush();
    const traced = await two.call('GET', '/api/traces?status=success&order=asc', undefined, headers);
    expect(traced.json<{ items: { step: string }[] }>().items.map(({ step }) => step)).toEqual([
      'call',
      'repair',
    ]);

    await one.app.close();
    await one.services.database.close();
    await two.close();
    await postgres.database.close();
    provider.stop();
  });
});
