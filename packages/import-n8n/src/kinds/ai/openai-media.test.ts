import { createScope, evaluate, problems } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { runNode } from '@millrace/nodes/testing';
import { expect, it } from 'vitest';
import { base, convert } from '../../testing/converted.ts';

const node = (name: string, type: string, parameters = {}) => ({ name, type, typeVersion: 1.8, parameters });
const lead = (to: string) => ({ main: [[{ node: to, type: 'main', index: 0 }]] });

/** A request of OpenAI between a download and a node that reads a field or the file. */
function between(parameters: object, behind: object) {
  const converted = convert({
    nodes: [
      node('Start', base('manualTrigger')),
      node('Load', base('googleDrive'), { operation: 'download', fileId: 'a' }),
      node('Model', '@n8n/n8n-nodes-langchain.openAi', parameters),
      { ...node('Next', base('set'), behind), typeVersion: 3.4 },
    ],
    connections: { Start: lead('Load'), Load: lead('Model'), Model: lead('Next') },
  });
  const made = converted.node('Model');
  expect(problems(converted.document, catalog).filter(({ node_id }) => node_id === made?.id)).toEqual([]);
  expect(converted.lines('Model').filter((line) => line.includes('was kept'))).toEqual([]);
  return { converted, made };
}

const assigned = (value: string) => ({
  assignments: { assignments: [{ name: 'out', value, type: 'string' }] },
});

it('transcribes a file that a node before it hands on', async () => {
  const { converted, made } = between(
    { resource: 'audio', operation: 'transcribe', options: { language: 'de' } },
    assigned('={{ $json.text }}'),
  );
  let form = '';
  const http = {
    request: async (seen: { body?: unknown; url: string }) => {
      const body = seen.body as { open?: () => AsyncIterable<Uint8Array> };
      const chunks: Uint8Array[] = [];
      if (body.open) for await (const chunk of body.open()) chunks.push(chunk);
      else chunks.push(Buffer.from(seen.body as Uint8Array));
      form = Buffer.concat(chunks).toString();
      async function* answer() {
        yield await Promise.resolve(Buffer.from('{"text":"Hallo"}'));
      }
      const headers = { 'content-type': 'application/json' };
      return { status: 200, headers, url: seen.url, body: answer() };
    },
    connect: () => Promise.reject(new Error('no connection')),
    resolveAddresses: () => Promise.resolve([]),
  };
  const file = { filename: 'a.ogg', mime_type: 'audio/ogg', content_base64: 'aGk=' };
  const result = await runNode(made?.type ?? '', made?.data ?? {}, {
    inputs: { Load: file },
    services: { http },
  });
  expect(form).toContain('name="model"\r\n\r\nwhisper-1');
  expect(form).toContain('name="language"\r\n\r\nde');
  expect(form).toMatch(/name="file"; filename="a.ogg"\r\nContent-Type: audio\/ogg\r\n\r\nhi\r\n/);
  if (!('output' in result)) throw new Error(JSON.stringify(result));
  const [row] = (converted.node('Next')?.data['mappings'] ?? []) as { value: string }[];
  const scope = createScope({
    values: { Model: result.output },
    now: () => 0,
    uuid: () => '',
    random: () => 0,
  });
  expect(evaluate(row?.value ?? '', 'value', scope)).toBe('Hallo');
});

it('makes a picture, whose operation is the usual one of the form, with its file for the next node', () => {
  const { made } = between({ resource: 'image', prompt: 'A house' }, assigned('={{ $json.x }}'));
  expect(made?.data['curl']).toContain(
    '{"prompt":"A house","model":"dall-e-3","response_format":"b64_json"}',
  );
  const converted = convert({
    nodes: [
      node('Start', base('manualTrigger')),
      node('Model', '@n8n/n8n-nodes-langchain.openAi', { resource: 'image', prompt: 'A house' }),
      node('Send', base('telegram'), { operation: 'sendPhoto', chatId: '1', binaryData: true }),
    ],
    connections: { Start: lead('Model'), Model: lead('Send') },
  });
  expect(converted.lines('Send').filter((line) => line.includes('was kept'))).toEqual([]);
  expect(String(converted.node('Send')?.data['curl'])).toContain('.item.b64_json');
});
