import { json, startFakeProvider } from '@millrace/models/testing';
import { expect, onTestFinished, test } from 'vitest';
import { choiceContext } from '../../testing/choice-context.ts';
import { routedEgress } from '../../testing/routed-egress.ts';
import { modelChoices } from './choices.ts';

async function asked(params: Readonly<Record<string, string>>) {
  const server = await startFakeProvider(() =>
    json({ data: [{ id: 'gpt-4o' }, { id: 'gpt-image-1' }, { id: 'dall-e-3' }, { id: 'whisper-1' }] }),
  );
  onTestFinished(() => server.stop());
  const http = routedEgress({ 'api.openai.com': server.url });
  const context = { ...choiceContext(http, { api_key: 'key-0123456789' }), type: 'openai' };
  return modelChoices['models']?.(context, { params, search: '', cursor: null });
}

const offered = async (params: Readonly<Record<string, string>>) =>
  (await asked(params))?.items.map(({ value }) => value);

test.each([
  ['text', { outputType: 'text' }],
  ['text, also where the node has no other', {}],
])('a node that wants %s is offered models that answer with it', async (_, params) => {
  expect(await offered(params)).toEqual(['gpt-4o']);
});

test('what is known of a model comes with it', async () => {
  const [known] = (await asked({}))?.items ?? [];
  expect(known).toMatchObject({
    value: 'gpt-4o',
    capabilities: { vision: true, context_window_tokens: 128_000 },
  });
});

test('a node that wants an image is offered models that make some', async () => {
  expect(await offered({ outputType: 'image' })).toEqual(['dall-e-3', 'gpt-image-1']);
});
