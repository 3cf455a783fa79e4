import type { JsonObject } from '@millrace/engine';
import type { SeenCall } from '@millrace/models/testing';
import {
  type FakeProvider,
  type FakeReply,
  imagesReply,
  PIXEL,
  startFakeProvider,
} from '@millrace/models/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { NewStoredFile } from '../services.ts';
import { emptyDrive } from '../testing/fake-services.ts';
import { realEgress } from '../testing/real-egress.ts';
import { traceNode } from '../testing/run-node.ts';

const running: FakeProvider[] = [];
afterEach(() => {
  for (const server of running.splice(0)) server.stop();
});

async function generate(
  data: JsonObject,
  reply: (call: SeenCall) => FakeReply = (call) => imagesReply(call),
) {
  const server = await startFakeProvider(reply);
  running.push(server);
  const values = { api_key: 'canary-key-0123', base_url: server.url };
  const stored: NewStoredFile[] = [];
  const drive = emptyDrive();
  const { result, trace } = await traceNode(
    'llm',
    { credentialId: 'c', model: 'gpt-image-1', outputType: 'image', userMessage: 'A $input.animal', ...data },
    {
      inputs: { start: { animal: 'cat' } },
      credentials: { c: { type: 'custom', values }, o: { type: 'custom', values } },
      services: {
        http: realEgress(),
        files: {
          ...drive,
          store(file) {
            stored.push(file);
            return drive.store(file);
          },
        },
      },
    },
  );
  return { result, trace, stored, bodies: server.seen.map(({ body }) => body ?? {}) };
}

const size_bytes = Buffer.from(PIXEL, 'base64').length;
const output = {
  image: `data:image/png;base64,${PIXEL}`,
  file: {
    id: 'file-1',
    filename: 'image.png',
    mime_type: 'application/octet-stream',
    size_bytes,
    download_url: '/api/files/dl/image.png',
  },
  model: 'gpt-image-1',
  elapsed_ms: 0,
};
const usage = { prompt_tokens: 12, completion_tokens: 272, total_tokens: 284 };

describe('an answer as an image', () => {
  test('is a data URL and a file of the Drive, as two steps', async () => {
    const { result, trace, stored, bodies } = await generate({ systemInstruction: 'In ink.' });
    expect(result).toEqual({ output: { ...output, usage } });
    expect(trace.steps).toEqual(['call', 'file']);
    expect(stored.map(({ key }) => key)).toEqual(['run-1:node-1::file']);
    expect(bodies).toEqual([{ model: 'gpt-image-1', prompt: 'In ink.\n\nA cat', n: 1, size: '1024x1024' }]);
    expect(trace.model_calls).toMatchObject([{ call: { request_type: 'image' }, credential_id: 'c' }]);
  });

  test('has the size and the quality that the node names', async () => {
    const { bodies } = await generate({ imageSize: '1536x1024', imageQuality: 'high' });
    expect(bodies).toMatchObject([{ size: '1536x1024', quality: 'high' }]);
  });

  test('comes from the fallback when the first model fails', async () => {
    const { result, trace } = await generate({ model: 'none', fallbackModel: 'dall-e-3' });
    expect(result).toEqual({
      output: { ...output, model: 'dall-e-3', revised_prompt: 'A cat, in oil', fallbackUsed: true },
    });
    expect(trace.steps).toEqual(['call', 'fallback', 'file']);
  });

  test('fails with the words of the provider', async () => {
    const { result } = await generate({ imageSize: '7x7' });
    expect(result).toMatchObject({
      failure: { message: expect.stringMatching(/^LLM error: .*Invalid value: '7x7'/) },
    });
  });

  test.each<[string, JsonObject, string]>([
    ['batch mode', { batchModeEnabled: true }, 'batchModeEnabled'],
    ['an image as input', { imageInputEnabled: true, imageInput: output.image }, 'imageInputEnabled'],
  ])('is refused with %s before anything is paid', async (_, data, field) => {
    const { result, bodies } = await generate(data);
    expect(result).toMatchObject({ failure: { kind: 'params', field } });
    expect(bodies).toEqual([]);
  });
});
