import type { Workflow } from '@millrace/contracts';
import { describe, expect, it } from 'vitest';
import { useTestApp } from '../../testing/index.ts';

const app = await useTestApp();
const owner = await app.user();
const collaborator = await app.user();

async function create(): Promise<Workflow> {
  return (await owner.call('POST', '/api/workflows', { name: 'Settings' })).json<Workflow>();
}
async function share(): Promise<Workflow> {
  const workflow = await create();
  const answer = await owner.call('POST', `/api/workflows/${workflow.id}/shares`, {
    email: collaborator.email,
  });
  if (answer.statusCode !== 200) throw new Error(answer.body);
  return workflow;
}
const put = (id: string, body: unknown, user = owner) => user.call('PUT', `/api/workflows/${id}`, body);
const read = async (id: string, user = owner) =>
  (await user.call('GET', `/api/workflows/${id}`)).json<Workflow>();

/** Every setting of the table: values that are kept as they are, and values that are refused. */
const SETTINGS: Record<string, { kept: unknown[]; refused: unknown[] }> = {
  auth_type: { kept: ['anonymous', 'header_auth', 'jwt'], refused: ['none', 'JWT', '', 5, {}, []] },
  auth_header_key: {
    kept: ['X-Api-Key', 'x'.repeat(255)],
    refused: ['x'.repeat(256), 'X Api', 'X:', 'X\r\nY', 'ü', 5, {}],
  },
  auth_header_value: {
    kept: ['secret', 'with space'],
    refused: ['x'.repeat(1025), 'a\nb', 'a\u0000', 5, {}],
  },
  http_method: { kept: ['GET', 'PUT', 'DELETE', 'POST'], refused: ['PATCH', 'get', '', 5] },
  webhook_body_mode: { kept: ['generic', 'defined'], refused: ['other', '', 5] },
  cache_ttl_seconds: { kept: [1, 3600], refused: [1.5, '60', 1e12, [], true] },
  rate_limit_requests: { kept: [1, 1000], refused: [1.5, '60', 1e12, []] },
  rate_limit_window_seconds: { kept: [1, 86_400], refused: [0.5, 'x', 1e12, {}] },
  sse_enabled: { kept: [true, false], refused: ['true', 1, {}] },
  sse_node_config: {
    kept: [
      { a: { send_start: true, start_message: 'Hello' }, b: { send_start: false, start_message: null } },
      {},
    ],
    refused: [
      [],
      'x',
      { a: true },
      { a: { send_start: 'yes' } },
      { a: { start_message: 5 } },
      { constructor: {} },
    ],
  },
  mcp_enabled: { kept: [true, false], refused: ['true', 1] },
  portal_slug: { kept: ['my-portal-2', 'a'], refused: ['My', 'a b', 'a/b', '../x', 'ä', 'x'.repeat(256), 5] },
  portal_enabled: { kept: [true, false], refused: ['true', 1] },
  portal_stream_enabled: { kept: [false, true], refused: ['true', 1] },
  portal_file_upload_enabled: { kept: [true, false], refused: ['true', 1] },
  portal_file_config: {
    kept: [{ text: { file_upload_enabled: true, allowed_types: ['pdf'], max_size_mb: 10 } }, {}],
    refused: [[], 'x', { text: 5 }, { text: { max_size_mb: -1 } }, { text: { allowed_types: 'pdf' } }],
  },
};

describe('§2.1 workflow settings', () => {
  for (const [field, { kept, refused }] of Object.entries(SETTINGS)) {
    it(`§2.1: ${field} is kept as it was set`, async () => {
      const workflow = await create();
      if (field === 'portal_enabled') await put(workflow.id, { portal_slug: `p-${workflow.id}` });
      for (const value of kept) {
        const answer = await put(workflow.id, { [field]: value });
        expect(answer.statusCode, `${field} = ${JSON.stringify(value)}`).toBe(200);
        expect(answer.json()).toMatchObject({ [field]: value });
        expect(await read(workflow.id)).toMatchObject({ [field]: value });
      }
      await owner.call('DELETE', `/api/workflows/${workflow.id}`);
    });

    it(`§2.1: ${field} refuses other values with 422 and names the field`, async () => {
      const workflow = await create();
      const before = await read(workflow.id);
      for (const value of refused) {
        const answer = await put(workflow.id, { [field]: value });
        expect(answer.statusCode, `${field} = ${JSON.stringify(value)}`).toBe(422);
        expect(answer.json().detail[0].loc.slice(0, 2)).toEqual(['body', field]);
      }
      expect(await read(workflow.id)).toEqual(before);
    });
  }

  for (const [field, { kept, refused }] of Object.entries(SETTINGS)) {
    it(`§2.1: ${field} can be given to a new workflow, and is checked there too`, async () => {
      const body = (value: unknown, index: number) => ({
        name: 'New',
        ...(field === 'portal_enabled' ? { portal_slug: `new-${index}` } : {}),
        [field]: value,
      });
      for (const [index, value] of kept.entries()) {
        const answer = await owner.call('POST', '/api/workflows', body(value, index));
        expect(answer.statusCode, `${field} = ${JSON.stringify(value)}`).toBe(201);
        const workflow = answer.json<Workflow>();
        expect(workflow).toMatchObject({ [field]: value, version_number: 1 });
        expect(await read(workflow.id)).toEqual(workflow);
        await owner.call('DELETE', `/api/workflows/${workflow.id}`);
      }
      for (const value of refused) {
        const answer = await owner.call('POST', '/api/workflows', body(value, 0));
        expect(answer.statusCode, `${field} = ${JSON.stringify(value)}`).toBe(422);
        expect(answer.json().detail[0].loc.slice(0, 2)).toEqual(['body', field]);
      }
    });
  }

  it('§2.1: settings of a new workflow must fit each other, and what they name must be free or visible', async () => {
    const post = (body: object) => owner.call('POST', '/api/workflows', { name: 'New', ...body });
    expect((await post({ portal_enabled: true })).json()).toMatchObject({
      detail: [{ loc: ['body', 'portal_slug'] }],
    });
    expect((await post({ portal_slug: 'of-the-first' })).statusCode).toBe(201);
    expect((await post({ portal_slug: 'of-the-first' })).statusCode).toBe(409);
    const foreign = await collaborator.call('POST', '/api/workflows', { name: 'Foreign' });
    expect((await post({ error_workflow_id: foreign.json().id })).json()).toMatchObject({
      detail: [{ loc: ['body', 'error_workflow_id'] }],
    });
    expect(
      (await post({ scheduled_for_deletion: '2030-01-01T00:00:00Z', folder_id: 5 })).json(),
    ).toMatchObject({ scheduled_for_deletion: null, folder_id: null });
  });

  it('§2.1 §5.1: a workflow that is created for anonymous GET calls answers them', async () => {
    const created = await owner.call('POST', '/api/workflows', {
      name: 'Open',
      nodes: [{ id: 'in', type: 'textInput', data: { label: 'in' } }],
      auth_type: 'anonymous',
      http_method: 'GET',
    });
    const address = `/api/workflows/${created.json().id}/execute`;
    expect((await app.call('GET', `${address}?a=1`)).json()).toMatchObject({ status: 'success' });
    expect((await app.call('POST', address, {})).statusCode).toBe(405);
  });

  it('§2.1: 0 or null disables the cache, and so does everything below', async () => {
    const { id } = await create();
    for (const off of [0, null, -5]) {
      await put(id, { cache_ttl_seconds: 60 });
      expect((await put(id, { cache_ttl_seconds: off })).json()).toMatchObject({ cache_ttl_seconds: null });
    }
  });

  it('§2.1: allow_anonymous follows auth_type and cannot be set apart from it', async () => {
    const { id } = await create();
    expect((await put(id, { allow_anonymous: true })).json()).toMatchObject({
      allow_anonymous: false,
      auth_type: 'jwt',
    });
    expect((await put(id, { auth_type: 'anonymous' })).json()).toMatchObject({ allow_anonymous: true });
  });

  it('§2.1: a cleared start message is null, so that the default applies', async () => {
    const { id } = await create();
    const sse_node_config = { a: { send_start: true, start_message: '  ' }, b: { send_start: true } };
    expect((await put(id, { sse_node_config })).json()).toMatchObject({
      sse_node_config: {
        a: { send_start: true, start_message: null },
        b: { send_start: true, start_message: null },
      },
    });
  });

  it('§2.1: webhook_body_mode is also understood as older clients write it', async () => {
    const { id } = await create();
    await put(id, { webhook_body_mode: 'generic' });
    expect((await put(id, { webhook_body_mode: 'legacy' })).json()).toMatchObject({
      webhook_body_mode: 'defined',
    });
  });

  it('§2.1: a portal needs a slug, and no two workflows have the same one', async () => {
    const [one, other] = [await create(), await create()];
    const without = await put(one.id, { portal_enabled: true });
    expect(without.statusCode).toBe(422);
    expect(without.json().detail[0].loc).toEqual(['body', 'portal_slug']);
    expect((await put(one.id, { portal_enabled: true, portal_slug: 'taken' })).statusCode).toBe(200);
    expect((await put(other.id, { portal_slug: 'taken' })).statusCode).toBe(409);
    expect((await put(one.id, { portal_slug: 'taken' })).statusCode).toBe(200);
    expect((await put(one.id, { portal_slug: '' })).statusCode).toBe(422);
    expect((await put(one.id, { portal_enabled: false, portal_slug: '' })).json()).toMatchObject({
      portal_slug: null,
    });
  });
});

/** §5.8 names these; a value that differs from the default for each. */
const OWNER_ONLY: Record<string, unknown> = {
  auth_type: 'anonymous',
  auth_header_key: 'X-Key',
  webhook_body_mode: 'generic',
  http_method: 'GET',
  cache_ttl_seconds: 60,
  rate_limit_requests: 5,
  rate_limit_window_seconds: 60,
  sse_enabled: true,
  sse_node_config: { a: { send_start: true, start_message: 'x' } },
};

describe('§5.8 owner-only settings', () => {
  for (const [field, value] of Object.entries(OWNER_ONLY)) {
    it(`§5.8, §7: a collaborator's change of ${field} gets 403 and changes nothing`, async () => {
      const { id } = await share();
      const before = await read(id);
      const answer = await put(id, { name: 'Also renamed', [field]: value }, collaborator);
      expect(answer.statusCode).toBe(403);
      expect(await read(id)).toEqual(before);
      expect((await put(id, { [field]: value })).statusCode).toBe(200);
    });
  }

  it('§5.8: a collaborator may edit canvas, name and description', async () => {
    const { id } = await share();
    const change = {
      name: 'Ours',
      description: 'Together',
      nodes: [{ id: 'a', type: 'set', position: { x: 0, y: 0 }, data: { label: 'a' } }],
    };
    const answer = await put(id, change, collaborator);
    expect(answer.statusCode).toBe(200);
    expect(await read(id)).toMatchObject(change);
  });

  it('§5.8: a collaborator may send settings as they are', async () => {
    const { id } = await share();
    await put(id, { ...OWNER_ONLY, auth_header_value: 'top-secret' });
    const seen = await read(id, collaborator);
    const answer = await put(id, { ...seen, name: 'Renamed' }, collaborator);
    expect(answer.statusCode).toBe(200);
    expect(await read(id)).toMatchObject({ ...OWNER_ONLY, name: 'Renamed', auth_header_value: 'top-secret' });
  });

  it('§5.8: auth_header_value is hidden from collaborators in every answer', async () => {
    const { id } = await share();
    await put(id, { auth_type: 'header_auth', auth_header_key: 'X-Key', auth_header_value: 'top-secret' });
    expect(await read(id)).toMatchObject({ auth_header_value: 'top-secret', auth_header_value_set: true });
    expect(await read(id, collaborator)).toMatchObject({
      auth_header_value: null,
      auth_header_value_set: true,
    });
    for (const [method, url, body] of [
      ['GET', '/api/workflows', undefined],
      ['GET', `/api/workflows/${id}`, undefined],
      ['PUT', `/api/workflows/${id}`, { name: 'Renamed' }],
      ['GET', `/api/workflows/${id}/versions`, undefined],
      ['GET', `/api/workflows/${id}/export`, undefined],
      ['POST', `/api/workflows/${id}/duplicate`, undefined],
    ] as const) {
      const answer = await collaborator.call(method, url, body);
      expect(answer.statusCode, `${method} ${url}`).toBeLessThan(300);
      expect(answer.body).not.toContain('top-secret');
    }
  });

  it("§5.8: a collaborator's write to auth_header_value is ignored without a 403", async () => {
    const { id } = await share();
    await put(id, { auth_header_value: 'top-secret' });
    for (const auth_header_value of ['mine now', '', null]) {
      expect((await put(id, { auth_header_value }, collaborator)).statusCode).toBe(200);
    }
    expect(await read(id)).toMatchObject({ auth_header_value: 'top-secret' });
  });
});
