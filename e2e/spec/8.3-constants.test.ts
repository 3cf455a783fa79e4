import { createWorkflow, executeUrl, graph, parseFrames, useTestApp } from '@millrace/server/testing';
import { describe, expect, it } from 'vitest';

const app = await useTestApp();
const user = await app.user();

async function withSecret(name: string, secret: string): Promise<string> {
  const made = await user.call('POST', '/api/credentials', {
    name,
    type: 'bearer',
    config: { bearer_token: secret },
  });
  expect(made.statusCode).toBe(201);
  const content = graph(
    [
      ['start', 'textInput'],
      ['use', 'set', { mappings: [{ key: 'header', value: `Bearer $credentials.${name}` }] }],
      ['out', 'output', { message: `$credentials.${name}` }],
    ],
    ['start>use', 'use>out'],
  );
  return createWorkflow(user, content);
}

const SECRET = 'sk-live-4eC39HqLyjWDarjtT1zdp7dc';

describe('§8.3 other constants', () => {
  it('§8.3, §5.8: of secrets longer than 7 the first 7 characters are kept, in outputs, streams, node results and history, also inside of longer texts', async () => {
    const id = await withSecret('leakyKey', SECRET);
    const full = await app.call('POST', executeUrl(id), {}, { 'x-simple-response': 'false' });
    const stream = await app.call('POST', executeUrl(id, '/stream'), {});
    const entry = `/api/workflows/${id}/history/${String(full.headers['x-execution-id'])}`;
    const history = await user.call('GET', entry);
    const { rows } = await app.services.database.sql.query({
      text: 'SELECT input, outputs, records, outcome FROM runs WHERE workflow_id = $1',
      values: [id],
    });
    expect(full.json()).toMatchObject({ outputs: { out: { result: 'sk-live**' } } });
    for (const text of [full.body, stream.body, history.body, JSON.stringify(rows)]) {
      expect(text).not.toContain(SECRET);
      expect(text).toContain('Bearer sk-live**');
    }
    expect(parseFrames(stream.body).at(-1)?.data).toMatchObject({
      outputs: { out: { result: 'sk-live**' } },
    });
  });

  it('§8.3 output masking: secrets of up to 7 characters are left alone', async () => {
    const id = await withSecret('shortKey', 'tiny123');
    expect((await app.call('POST', executeUrl(id), {})).json()).toMatchObject({
      outputs: { out: { result: 'tiny123' } },
    });
  });
});
