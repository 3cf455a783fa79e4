import { allEndpoints, type Workflow } from '@millrace/contracts';
import { useTestApp } from '@millrace/server/testing';
import { describe, expect, it } from 'vitest';

const app = await useTestApp();
const user = await app.user();

describe('§9 versioning', () => {
  it('§9: paths carry no version segment', () => {
    const paths = allEndpoints.flatMap((endpoint) => [endpoint.path, ...(endpoint.aliases ?? [])]);
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.filter((path) => /\/v\d+(\/|$)/i.test(path))).toEqual([]);
  });

  it('§9: the http_method default is POST also for an imported workflow that never heard of the setting', async () => {
    const imported = await user.call('POST', '/api/workflows/import', { name: 'Old', nodes: [], edges: [] });
    expect(imported.json().workflow.http_method).toBe('POST');
  });
});

describe('§1 and §4.1: drafts stand beside what the API makes', () => {
  const saying = (text: string) => ({
    nodes: [
      { id: 'in', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'start' } },
      { id: 'out', type: 'output', position: { x: 1, y: 0 }, data: { label: 'out', message: text } },
    ],
    edges: [{ id: 'e', source: 'in', target: 'out' }],
  });
  const execute = async (id: string, headers: Record<string, string> = {}) => {
    const answer = await user.call('POST', `/api/workflows/${id}/execute`, {}, headers);
    return answer.json<{ outputs: { out?: { result: string } } }>().outputs.out?.result;
  };

  it('§4.1: a workflow that was created or imported with a graph is executed at once', async () => {
    const created = await user.call('POST', '/api/workflows', { name: 'New', ...saying('new') });
    expect(await execute(created.json<Workflow>().id)).toBe('new');
    const imported = await user.call('POST', '/api/workflows/import', { name: 'Old', ...saying('old') });
    expect(await execute(imported.json<{ workflow: Workflow }>().workflow.id)).toBe('old');
  });

  it('§4.1: a graph that is PUT replaces any draft: it runs from then on, and GET returns it', async () => {
    const url = `/api/workflows/${(await user.call('POST', '/api/workflows', { name: 'New' })).json<Workflow>().id}`;
    const id = url.split('/').at(-1) ?? '';
    await user.call('PUT', `${url}?draft=true`, saying('draft'));
    await user.call('PUT', url, saying('put'));
    expect(await execute(id)).toBe('put');
    await user.call('PUT', `${url}?draft=true`, saying('draft'));
    expect(await execute(id)).toBe('put');
    expect((await user.call('GET', url)).json<Workflow>()).toMatchObject(saying('put'));
    expect(await execute(id, { 'x-run-draft': 'true' })).toBe('draft');
    await user.call('POST', `${url}/publish`, { note: 'ready' });
    expect(await execute(id)).toBe('draft');
  });

  it('§6.1: a stream runs the draft for its editors only (§5.1)', async () => {
    const created = await user.call('POST', '/api/workflows', { name: 'New', ...saying('new') });
    const { id } = created.json<Workflow>();
    await user.call('PUT', `/api/workflows/${id}`, { auth_type: 'anonymous' });
    await user.call('PUT', `/api/workflows/${id}?draft=true`, saying('draft'));
    const stream = `/api/workflows/${id}/execute/stream`;
    const headers = { accept: 'text/event-stream', 'x-run-draft': 'true' };
    expect((await user.call('POST', stream, {}, headers)).body).toContain('"result":"draft"');
    expect((await app.call('POST', stream, {}, headers)).statusCode).toBe(403);
    const published = await app.call('POST', stream, {}, { accept: 'text/event-stream' });
    expect(published.body).toContain('"result":"new"');
  });
});
