import { messageStream } from '@millrace/models/testing';
import { expect, test } from 'vitest';
import { toolCall, work } from '../../testing/run-agent.ts';

/** Caches of providers find the longest prompt that begins with the same bytes: marks of what to keep are no part of it. */
const withoutMarks = (body: object): Record<string, unknown> & { messages: unknown[] } =>
  JSON.parse(
    JSON.stringify(body, (key, value: unknown) => (key === 'cache_control' ? undefined : value)),
  ) as Record<string, unknown> & { messages: unknown[] };

test('each turn of an agent begins with the bytes of the turn before', async () => {
  const asks = () => ({ chunks: messageStream([], { tools: [toolCall('shape', {})] }) });
  const { bodies } = await work(
    { systemInstruction: 'Use tools.' },
    [asks(), asks(), { chunks: messageStream(['Done']) }],
    {
      isAnthropic: true,
      lines: 'start -> boss\nshape -> boss@tool-input',
      nodes: { shape: { type: 'set', mappings: [] } },
    },
  );
  const sent = bodies.map(withoutMarks);
  expect(sent).toHaveLength(3);
  for (const [at, body] of sent.slice(1).entries()) {
    const before = sent[at];
    expect(JSON.stringify([body['tools'], body['system']])).toBe(
      JSON.stringify([before?.['tools'], before?.['system']]),
    );
    const same = body.messages.slice(0, before?.messages.length);
    expect(JSON.stringify(same)).toBe(JSON.stringify(before?.messages));
  }
});
