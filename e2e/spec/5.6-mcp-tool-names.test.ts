import type { McpConfig, McpServerDetails, McpTool, McpWorkflow } from '@millrace/contracts';
import {
  createTestApp,
  createWorkflow,
  ECHO,
  shareTestApp,
  type TestApp,
  type TestUser,
} from '@millrace/server/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

let app: TestApp;
let person: TestUser;
let headers: Record<string, string>;
beforeAll(async () => {
  app = await shareTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  person = await app.user();
  const made = await person.call('POST', '/api/mcp/regenerate-key');
  headers = { 'x-mcp-key': made.json<{ mcp_api_key: string }>().mcp_api_key };
});

const make = (name: string) => createWorkflow(person, ECHO, { name, mcp_enabled: true });
const rename = (id: string, name: string) => person.call('PUT', `/api/workflows/${id}`, { name });
const change = async (id: string, body: object) =>
  (await person.call('PATCH', `/api/mcp/workflows/${id}`, body)).json<McpWorkflow>();
const titles = async ({ app: at = app, path = '/api/mcp/tools', key = headers } = {}) => {
  const { tools } = (await at.call('GET', path, undefined, key)).json<{ tools: McpTool[] }>();
  return Object.fromEntries(tools.map(({ name, title }) => [name, title]));
};
const fetchSettings = async (id: string) =>
  (await person.call('GET', '/api/mcp/config')).json<McpConfig>().workflows.find((one) => one.id === id);

describe('§2.1, §5.6 the name of a tool', () => {
  it('stays when the workflow is renamed, until its person asks for the new one', async () => {
    const id = await make('Weekly report');
    expect(await fetchSettings(id)).toMatchObject({ tool_name: 'weekly_report', new_tool_name: null });
    await rename(id, 'Daily report');
    expect(await titles()).toEqual({ weekly_report: 'Daily report' });
    expect(await fetchSettings(id)).toMatchObject({
      tool_name: 'weekly_report',
      new_tool_name: 'daily_report',
    });
    const call = { name: 'weekly_report', arguments: { text: 'x' } };
    const called = await app.call('POST', '/api/mcp/tools/call', call, headers);
    expect(called.json()).toMatchObject({ isError: false });

    const changed = await change(id, { mcp_enabled: true, use_new_name: true });
    expect(changed).toMatchObject({ tool_name: 'daily_report', new_tool_name: null });
    expect(await titles()).toEqual({ daily_report: 'Daily report' });
    const again = await app.call('POST', '/api/mcp/tools/call', call, headers);
    expect(again.json()).toMatchObject({ isError: true });
  });

  it('is kept while the tool is off, and no other workflow gets it', async () => {
    const first = await make('Report');
    expect(await titles()).toEqual({ report: 'Report' });
    expect(await change(first, { mcp_enabled: false })).toMatchObject({
      tool_name: null,
      new_tool_name: null,
    });
    const second = await make('report');
    expect(await titles()).toEqual({ report_2: 'report' });
    // The name without a number is taken, so there is no new one to use.
    expect(await fetchSettings(second)).toMatchObject({ tool_name: 'report_2', new_tool_name: null });
    expect(await change(first, { mcp_enabled: true })).toMatchObject({ tool_name: 'report' });
    expect(await titles()).toEqual({ report: 'Report', report_2: 'report' });
  });

  it('keeps its number when the other workflow gives the name up, and takes it when asked to', async () => {
    const first = await make('Report');
    expect(await titles()).toEqual({ report: 'Report' });
    const second = await make('report');
    expect(await titles()).toEqual({ report: 'Report', report_2: 'report' });
    await rename(first, 'Summary');
    await change(first, { mcp_enabled: true, use_new_name: true });
    expect(await titles()).toEqual({ summary: 'Summary', report_2: 'report' });
    expect(await fetchSettings(second)).toMatchObject({ tool_name: 'report_2', new_tool_name: 'report' });
    await change(second, { mcp_enabled: true, use_new_name: true });
    expect(await titles()).toEqual({ report: 'report', summary: 'Summary' });
    await person.call('DELETE', `/api/workflows/${first}`);
    await make('summary');
    expect(await titles()).toEqual({ report: 'report', summary: 'summary' });
  });

  it('is kept apart for each server', async () => {
    const id = await make('Report');
    expect(await titles()).toEqual({ report: 'Report' });
    await rename(id, 'Summary');
    const made = await person.call('POST', '/api/mcp/servers', { name: 'Other' });
    const server = made.json<McpServerDetails & { mcp_api_key: string }>();
    const path = `/api/mcp/servers/${server.id}`;
    const offer = { enabled: true };
    const offered = await person.call('PATCH', `${path}/workflows/${id}`, offer);
    expect(offered.json()).toMatchObject({ tool_name: 'summary', new_tool_name: null });
    await rename(id, 'Overview');
    const renamed = await person.call('PATCH', `${path}/workflows/${id}`, { ...offer, use_new_name: true });
    expect(renamed.json()).toMatchObject({ tool_name: 'overview', new_tool_name: null });
    const key = { 'x-mcp-key': server.mcp_api_key };
    expect(await titles({ path: `${path}/tools`, key })).toEqual({ overview: 'Overview' });
    expect(await titles()).toEqual({ report: 'Overview' });
  });

  it('is unique and the same in every process, also when several list the tools first', async () => {
    const ids = [];
    for (let n = 0; n < 8; n += 1) ids.push(await make('Report'));
    const database = { ...app.services.database, close: () => Promise.resolve() };
    const other = await createTestApp({ database });
    const lists = await Promise.all([app, other, app, other].map((at) => titles({ app: at })));
    await other.close();
    const names = ['report', ...ids.slice(1).map((_id, n) => `report_${n + 2}`)];
    for (const list of lists) expect(Object.keys(list)).toEqual(names);
  });
});
