import type { McpToolResult } from '@millrace/contracts';
import { createWorkflow, graph, type TestUser, useTestApp } from '@millrace/server/testing';
import { describe, expect, it } from 'vitest';

const app = await useTestApp();
const owner = await app.user();
const url = await app.listen();

const content = graph(
  [
    ['take', 'fileUploadTrigger', { allowedTypes: '.txt', maxSizeMb: 1 }],
    ['out', 'jsonOutputMapper', { mappings: [{ key: 'size', value: '$take.file.size' }] }],
  ],
  ['take>out'],
);

interface Slot {
  readonly slot_id: string;
  readonly upload_url: string;
}

async function createKeyHeaders(person: TestUser): Promise<Record<string, string>> {
  const made = await person.call('POST', '/api/mcp/regenerate-key');
  return { 'x-mcp-key': made.json<{ mcp_api_key: string }>().mcp_api_key };
}

async function mint(person: TestUser, name: string): Promise<{ result: McpToolResult; slot: Slot }> {
  const answer = await app.call(
    'POST',
    '/api/mcp/message',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } },
    await createKeyHeaders(person),
  );
  const { result } = answer.json<{ result: McpToolResult }>();
  return { result, slot: result.structuredContent as unknown as Slot };
}

async function upload({ upload_url }: Slot): Promise<Response> {
  const form = new FormData();
  form.append('file', new Blob(['hello']), 'note.txt');
  return fetch(`${url}${new URL(upload_url).pathname}`, { method: 'POST', body: form });
}

describe('§4.3 file upload over MCP', () => {
  it('§4.3: the slot is minted when the workflow is invoked through MCP', async () => {
    const id = await createWorkflow(owner, content, { name: 'Take file', mcp_enabled: true });
    const { result, slot } = await mint(owner, 'take_file');
    expect(result).toMatchObject({
      isError: false,
      structuredContent: {
        file_upload_required: true,
        upload_url: expect.stringMatching(/\/api\/file-intake\/u\/[\w-]+$/),
        curl: expect.stringContaining(slot.upload_url),
        expires_at: expect.any(String),
        max_size_mb: 1,
        allowed_types: ['.txt'],
        instructions: expect.any(String),
        execution_id: slot.slot_id,
      },
    });
    expect(JSON.parse(result.content[0]?.text ?? '')).toEqual(result.structuredContent);
    const audit = await owner.call('GET', `/api/audit?object_id=${id}`);
    expect(audit.json<{ items: object[] }>().items).toContainEqual(
      expect.objectContaining({
        action: 'file_intake.minted',
        details: { slot_id: slot.slot_id, asked_by: 'mcp_key', user_id: owner.id },
      }),
    );
  });

  it('§6.3: the upload runs the workflow as its owner, source file_upload, and the MCP user can read the result later', async () => {
    const member = await app.user();
    const id = await createWorkflow(owner, content, { name: 'Take shared file' });
    await owner.call('POST', `/api/workflows/${id}/shares`, { email: member.email });
    const enabled = await member.call('PATCH', `/api/mcp/workflows/${id}`, { mcp_enabled: true });
    expect(enabled.statusCode).toBe(200);
    const { slot } = await mint(member, 'take_shared_file');
    const state = async () => (await member.call('GET', `/api/file-intake/slots/${slot.slot_id}`)).json();
    expect(await state()).toMatchObject({ status: 'pending', run: null });

    const sent = await upload(slot);
    expect(sent.status).toBe(200);
    const { file, ...answer } = (await sent.json()) as { file: { id: string } };
    expect(answer).toMatchObject({ run_id: slot.slot_id, status: 'success', output: { size: 5 } });
    expect(await state()).toMatchObject({
      status: 'consumed',
      run: { status: 'success', execution_history_id: slot.slot_id },
    });
    const entry = await member.call('GET', `/api/workflows/${id}/history/${slot.slot_id}`);
    expect(entry.json()).toMatchObject({ trigger_source: 'file_upload', status: 'success' });
    expect((await owner.call('GET', `/api/files/${file.id}`)).statusCode).toBe(200);
    expect((await member.call('GET', `/api/files/${file.id}`)).statusCode).toBe(404);
    expect((await upload(slot)).status).toBe(409);
  });
});
