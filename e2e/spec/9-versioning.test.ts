import { allEndpoints, type Workflow } from '@millrace/contracts';
import { createTestApp, type TestApp, type TestUser } from '@millrace/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let app: TestApp;
let user: TestUser;
beforeAll(async () => {
  app = await createTestApp();
  user = await app.user();
});
afterAll(() => app.close());

describe('§9 versioning', () => {
  it('§9: paths carry no version segment', () => {
    const paths = allEndpoints.flatMap((endpoint) => [endpoint.path, ...(endpoint.aliases ?? [])]);
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.filter((path) => /\/v\d+(\/|$)/i.test(path))).toEqual([]);
  });

  it('§9: the http_method default is POST, also for a workflow that never heard of the setting', async () => {
    const created = (await user.call('POST', '/api/workflows', { name: 'New' })).json<Workflow>();
    expect(created.http_method).toBe('POST');
    const imported = await user.call('POST', '/api/workflows/import', { name: 'Old', nodes: [], edges: [] });
    expect(imported.json().workflow.http_method).toBe('POST');
  });

  it.each(['defined', 'generic'])('§9: both request shapes are accepted in body mode %s', async (mode) => {
    const nodes = [
      {
        id: 'in',
        type: 'textInput',
        position: { x: 0, y: 0 },
        data: { label: 'start', inputFields: [{ key: 'text' }] },
      },
      {
        id: 'out',
        type: 'output',
        position: { x: 1, y: 0 },
        data: { label: 'out', message: '$start.body.text' },
      },
    ];
    const edges = [{ id: 'e', source: 'in', target: 'out' }];
    const { id } = (
      await user.call('POST', '/api/workflows', { name: 'Both', nodes, edges })
    ).json<Workflow>();
    await user.call('PUT', `/api/workflows/${id}`, { webhook_body_mode: mode });
    const raw = await user.call('POST', `/api/workflows/${id}/execute`, { text: 'hello' });
    const wrapped = await user.call('POST', `/api/workflows/${id}/execute`, { inputs: { text: 'hello' } });
    expect([raw.statusCode, wrapped.statusCode]).toEqual([200, 200]);
    expect(raw.json().outputs).toEqual(wrapped.json().outputs);
    expect(JSON.stringify(raw.json().outputs)).toContain('hello');
  });
});
