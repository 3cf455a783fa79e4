import { afterEach, describe, expect, it } from 'vitest';
import { listModels } from './list-models.ts';
import type { ModelProvider } from './model-service.ts';
import {
  type FakeProvider,
  type FakeReply,
  json,
  refuse,
  type SeenCall,
  startFakeProvider,
} from './testing/fake-provider.ts';
import { openTransport } from './testing/open-transport.ts';

const running: FakeProvider[] = [];
afterEach(() => {
  for (const server of running.splice(0)) server.stop();
});

async function listed(provider: ModelProvider, reply: (call: SeenCall) => FakeReply) {
  const server = await startFakeProvider(reply);
  running.push(server);
  const caller = {
    http: openTransport(),
    now: () => 0,
    sleepUntil: () => Promise.resolve(),
    signal: new AbortController().signal,
    max_wait_ms: 0,
  };
  const service = { base_url: server.url, headers: { authorization: 'Bearer key-0123456789' } };
  return {
    seen: server.seen,
    models: listModels(caller, { provider, title: 'The provider', service, secrets: ['key-0123456789'] }),
  };
}

describe('the list of models', () => {
  it('of OpenAI has those that chat, by name, and says which reason', async () => {
    const data = ['gpt-4o', 'o4-mini', 'text-embedding-3-small', 'gpt-5'].map((id) => ({ id }));
    const { models } = await listed('openai', () => json({ data }));
    expect((await models).map(({ capabilities: _capabilities, ...model }) => model)).toEqual([
      { id: 'gpt-4o', name: 'gpt-4o', is_reasoning: false, answers_with: ['text'] },
      { id: 'gpt-5', name: 'gpt-5', is_reasoning: true, answers_with: ['text'] },
      { id: 'o4-mini', name: 'o4-mini', is_reasoning: true, answers_with: ['text'] },
    ]);
  });

  it.each(['gpt-image-1', 'chatgpt-image-latest', 'dall-e-3'])(
    'of OpenAI says that %s makes images',
    async (id) => {
      const { models } = await listed('openai', () =>
        json({ data: [{ id }, { id: 'tts-1' }, { id: 'sora-2' }] }),
      );
      expect((await models).map((model) => [model.id, model.answers_with])).toEqual([[id, ['image']]]);
    },
  );

  it('of Google has its models of images, but not those of films', async () => {
    const { models } = await listed('google', () =>
      json({
        models: [
          { name: 'models/gemini-2.5-flash-image', supportedGenerationMethods: ['generateContent'] },
          { name: 'models/imagen-4.0-generate-001', supportedGenerationMethods: ['predict'] },
          { name: 'models/veo-3.0-generate-001', supportedGenerationMethods: ['predictLongRunning'] },
        ],
      }),
    );
    expect((await models).map(({ id, answers_with }) => [id, answers_with])).toEqual([
      ['gemini-2.5-flash-image', ['image']],
      ['imagen-4.0-generate-001', ['image']],
    ]);
  });

  it('of a compatible server has everything it lists', async () => {
    const { models } = await listed('compatible', () => json({ data: [{ id: 'my-audio-model' }] }));
    expect((await models).map(({ id, answers_with }) => [id, answers_with])).toEqual([
      ['my-audio-model', ['text', 'image']],
    ]);
  });

  it('of Google follows pages and leaves out what only embeds', async () => {
    const { models, seen } = await listed('google', ({ path }) =>
      path.includes('pageToken=two')
        ? json({ models: [{ name: 'models/b', supportedGenerationMethods: ['embedContent'] }] })
        : json({
            models: [
              { name: 'models/a', displayName: 'Model A', supportedGenerationMethods: ['generateContent'] },
            ],
            nextPageToken: 'two',
          }),
    );
    expect(await models).toEqual([{ id: 'a', name: 'Model A', is_reasoning: false, answers_with: ['text'] }]);
    expect(seen.map(({ path }) => path)).toEqual([
      '/models?pageSize=1000',
      '/models?pageSize=1000&pageToken=two',
    ]);
  });

  it('of Anthropic follows pages', async () => {
    const { models } = await listed('anthropic', ({ path }) =>
      path.includes('after_id=one')
        ? json({ data: [{ id: 'two', display_name: 'Two' }], has_more: false })
        : json({ data: [{ id: 'one', display_name: 'One' }], has_more: true, last_id: 'one' }),
    );
    expect((await models).map(({ name }) => name)).toEqual(['One', 'Two']);
  });

  it('is no list when the address belongs to something else', async () => {
    const { models } = await listed('compatible', () => ({ chunks: ['<html></html>'] }));
    await expect(models).rejects.toThrow('The provider did not return a list of models; check the address');
  });

  it('tells the words of a refusal without the key', async () => {
    const { models } = await listed('openai', () =>
      refuse(403, { error: { message: 'no: key-0123456789' } }),
    );
    await expect(models).rejects.toThrow(
      'The provider does not allow this with the chosen credential (status 403): no: **',
    );
  });
});
