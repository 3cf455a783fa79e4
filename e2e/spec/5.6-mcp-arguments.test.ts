import type { McpTool, McpToolResult } from '@millrace/contracts';
import type { JsonObject } from '@millrace/engine';
import { createWorkflow, graph, useTestApp } from '@millrace/server/testing';
import { beforeAll, describe, expect, it } from 'vitest';

const app = await useTestApp();
const user = await app.user();
const made = await user.call('POST', '/api/mcp/regenerate-key');
const headers = { 'x-mcp-key': made.json<{ mcp_api_key: string }>().mcp_api_key };

const asking = (inputFields: JsonObject[]) =>
  graph(
    [
      ['start', 'textInput', { inputFields }],
      ['out', 'output', { message: '$start.body' }],
    ],
    ['start>out'],
  );

/** The schema that clients see of a workflow with these fields. */
async function fetchSchema(fields: JsonObject[]): Promise<McpTool['inputSchema']> {
  const person = await app.user();
  await createWorkflow(person, asking(fields), { name: 'Asks', mcp_enabled: true });
  const made = await person.call('POST', '/api/mcp/regenerate-key');
  const key = made.json<{ mcp_api_key: string }>().mcp_api_key;
  const listed = await app.call('GET', '/api/mcp/tools', undefined, { 'x-mcp-key': key });
  const [tool] = listed.json<{ tools: McpTool[] }>().tools;
  if (!tool) throw new Error('There is no tool');
  return tool.inputSchema;
}

describe('§5.6 the schema of the arguments', () => {
  it('fields without a type are required texts, as far as they have no default value', async () => {
    expect(await fetchSchema([{ key: 'city' }, { key: 'unit', defaultValue: 'C' }])).toEqual({
      type: 'object',
      properties: {
        city: { type: 'string', description: 'Input "city" of the workflow' },
        unit: { type: 'string', description: 'Input "unit" of the workflow', default: 'C' },
      },
      required: ['city'],
    });
  });

  it('fields with a type have that of JSON Schema; those are required whose owner says so', async () => {
    const { properties, required } = await fetchSchema([
      { key: 'note', type: 'text', label: 'Note', hint: 'What to look for' },
      { key: 'days', type: 'number', label: 'Days', required: true },
      { key: 'loud', type: 'boolean' },
      { key: 'unit', type: 'choice', options: ['C', 'F'], required: true, defaultValue: 'C' },
      { key: 'from', type: 'date', required: true },
      { key: 'photo', type: 'file', label: 'Photo' },
    ]);
    expect(properties).toEqual({
      note: { type: 'string', title: 'Note', description: 'What to look for' },
      days: { type: 'number', title: 'Days', description: 'Days' },
      loud: { type: 'boolean', description: 'Input "loud" of the workflow' },
      unit: {
        type: 'string',
        enum: ['C', 'F'],
        description: 'Input "unit" of the workflow',
        default: 'C',
      },
      from: { type: 'string', format: 'date', description: 'Input "from" of the workflow' },
      photo: { type: 'string', title: 'Photo', description: 'Photo (a file as a data URL)' },
    });
    expect(required).toEqual(['days', 'from']);
  });

  it('shows no default value that the type of the field would not take, and others as runs read them', async () => {
    const { properties, required } = await fetchSchema([
      { key: 'days', type: 'number', required: true, defaultValue: 'three' },
      { key: 'unit', type: 'choice', options: [], defaultValue: 'K' },
      { key: 'note', type: 'text', defaultValue: 5 },
    ]);
    expect(properties).toMatchObject({
      days: { type: 'number' },
      unit: { type: 'string' },
      note: { type: 'string', default: '5' },
    });
    for (const property of Object.values(properties)) expect(property).not.toHaveProperty('enum');
    for (const key of ['days', 'unit']) expect(properties[key]).not.toHaveProperty('default');
    expect(required).toEqual([]);
  });
});

describe('§5.6 the arguments of a call', () => {
  const FIELDS = [
    { key: 'text' },
    { key: 'days', type: 'number', required: true },
    { key: 'unit', type: 'choice', options: ['C', 'F'], defaultValue: 'C' },
    { key: 'from', type: 'date' },
    { key: 'photo', type: 'file' },
  ];
  let id: string;
  beforeAll(async () => {
    id = await createWorkflow(user, asking(FIELDS), { name: 'Forecast', mcp_enabled: true });
  });

  const call = async (input: object) =>
    (
      await app.call('POST', '/api/mcp/tools/call', { name: 'forecast', arguments: input }, headers)
    ).json<McpToolResult>();
  const countRuns = async () => {
    const history = await user.call('GET', `/api/workflows/${id}/history`);
    return history.json<{ items: object[] }>().items.length;
  };

  it.each([
    [{}, '"days" must be filled in'],
    [{ days: '3' }, '"days" must be a number'],
    [{ days: 3, unit: 'K' }, '"unit" must be one of: C, F'],
    [{ days: 3, from: '31.1.2026' }, '"from" must be a date such as 2026-01-31'],
    [{ days: 3, photo: 5 }, '"photo" must be a file as a data URL'],
    [{ days: true, unit: 5 }, '"days" must be a number; "unit" must be one of: C, F'],
  ])('are refused by name before anything runs: %j', async (input, problem) => {
    const before = await countRuns();
    const text = `The arguments do not fit: ${problem}`;
    const refused = { content: [{ type: 'text', text }], isError: true };
    expect(await call(input)).toEqual(refused);
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'forecast', arguments: input },
    };
    const answer = await app.call('POST', '/api/mcp/message', message, headers);
    expect(answer.json()).toMatchObject({ id: 1, result: refused });
    expect(await countRuns()).toBe(before);
  });

  it.each([
    { days: 3 },
    { days: 3, unit: null, from: '' },
    // Typed fields alone are checked, and files have no limits but that of the call.
    { days: 3, text: { any: 'thing' }, more: 1, photo: 'data:application/zip;base64,AAAA' },
  ])('reach the run as they were sent: %j', async (input) => {
    expect(await call(input)).toMatchObject({
      isError: false,
      structuredContent: { out: { result: { unit: 'C', ...input } } },
    });
  });
});
