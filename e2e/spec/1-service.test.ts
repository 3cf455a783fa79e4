import { createWorkflow, ECHO, executeUrl, graph, parseFrames, useTestApp } from '@millrace/server/testing';
import { describe, expect, it } from 'vitest';

const app = await useTestApp();
const user = await app.user();

const execute = (id: string, body: unknown = {}, rest = '') => app.call('POST', executeUrl(id, rest), body);

describe('§1 what the service does', () => {
  it('§1: a workflow runs to completion and returns outputs, or streams execution events', async () => {
    const id = await createWorkflow(user, ECHO);
    expect((await execute(id, { text: 'hi' })).json()).toMatchObject({
      status: 'success',
      outputs: { out: { result: 'hi' } },
    });
    expect(parseFrames((await execute(id, { text: 'hi' }, '/stream')).body).length).toBeGreaterThan(2);
  });

  it('§1: start nodes are those with no incoming edges', async () => {
    const two = graph(
      [
        ['one', 'textInput'],
        ['two', 'textInput'],
        ['joined', 'merge'],
      ],
      ['one>joined:input-0', 'two>joined:input-1'],
    );
    const answer = await execute(await createWorkflow(user, two), { text: 'hi' });
    expect(answer.json()).toMatchObject({
      outputs: { joined: { merged: { one: { text: 'hi' }, two: { text: 'hi' } } } },
    });
  });

  it('§1: there is a start node for each kind of trigger', async () => {
    const types = [
      ['textInput', null],
      ['cron', 'clock'],
      ['telegramTrigger', 'webhook'],
      ['discordTrigger', 'webhook'],
      ['imapTrigger', 'poll'],
      ['platformEventTrigger', 'event'],
      ['websocketTrigger', 'connection'],
      ['fileUploadTrigger', 'upload'],
      ['rabbitmq', 'connection'],
      ['slackTrigger', 'webhook'],
    ] as const;
    const data = { rabbitmqOperation: 'receive' };
    const content = graph(
      types.map(([type]) => [type, type, type === 'rabbitmq' ? data : {}]),
      [],
    );
    const id = await createWorkflow(user, content);
    const { nodes } = (await user.call('GET', `/api/workflows/${id}`)).json<{ nodes: { type: string }[] }>();
    expect(nodes.map(({ type }) => type)).toEqual(types.map(([type]) => type));
    const listed = await user.call('GET', `/api/triggers?workflow_id=${id}`);
    const kinds = listed.json<{ type: string; kind: string }[]>().map(({ type, kind }) => [type, kind]);
    expect(kinds).toEqual(expect.arrayContaining(types.filter(([, kind]) => kind !== null)));
    expect(kinds).toHaveLength(types.length - 1);
    await user.call('DELETE', `/api/workflows/${id}`);
  });

  it('§1, §4.1 rule 4, §6.3 API: every run records a trigger_source label in execution history, API by default', async () => {
    const id = await createWorkflow(user, ECHO, { cache_ttl_seconds: 60 });
    await execute(id);
    await execute(id);
    await execute(id, {}, '?test_run=true');
    await execute(id, {}, '/stream?test_run=true');
    const list = await user.call('GET', `/api/workflows/${id}/history`);
    const { items } = list.json<{ items: { trigger_source: string; status: string }[] }>();
    expect(items.length).toBeGreaterThanOrEqual(3);
    for (const item of items) expect(item.trigger_source).toBe('API');
  });
});
