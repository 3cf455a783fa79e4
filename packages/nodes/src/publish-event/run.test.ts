import { expect, test } from 'vitest';
import type { OwnEvent } from '../services.ts';
import { runNode } from '../testing/run-node.ts';

function recorder() {
  const published: [OwnEvent, string][] = [];
  const publishEvent = (event: OwnEvent, key: string) => {
    published.push([event, key]);
    return Promise.resolve({ id: 'event-1', name: event.name, created_at: '2026-05-01T10:00:00.000Z' });
  };
  return { published, services: { publishEvent } };
}
const inputs = { start: { id: 12, kind: 'paid' } };

test('publishes with the key of the node, so that a repetition is the same event', async () => {
  const { published, services } = recorder();
  const data = { eventName: 'custom.order.$input.kind', eventPayload: '{"order": "$input.id"}' };
  expect(await runNode('publishEvent', data, { inputs, services })).toEqual({
    output: { id: 'event-1', name: 'custom.order.paid', created_at: '2026-05-01T10:00:00.000Z' },
  });
  expect(published).toEqual([
    [{ name: 'custom.order.paid', payload: { order: 12 } }, expect.stringMatching(/./)],
  ]);
});

test.each([
  ['', 'Enter the name'],
  ['run.failed', 'must be "custom."'],
  ['workflow.deleted', 'must be "custom."'],
  ['custom', 'must be "custom."'],
  ['custom.', 'must be "custom."'],
  ['Custom.order', 'must be "custom."'],
  ['custom..order', 'must be "custom."'],
  ['custom.a.b.c.d.e.f.g', 'must be "custom."'],
])('refuses the name "%s"', async (eventName, words) => {
  const { published, services } = recorder();
  const result = await runNode('publishEvent', { eventName, eventPayload: '{}' }, { inputs, services });
  expect(result).toMatchObject({
    failure: { field: 'eventName', message: expect.stringContaining(words), final: true },
  });
  expect(published).toEqual([]);
});

test.each([
  ['[1]', 'must be a JSON object'],
  ['{', 'is not valid JSON'],
  [`{"text": "${'x'.repeat(20_000)}"}`, 'must not be longer'],
])('refuses a payload that is none', async (eventPayload, words) => {
  const { published, services } = recorder();
  const result = await runNode(
    'publishEvent',
    { eventName: 'custom.order', eventPayload },
    { inputs, services },
  );
  expect(result).toMatchObject({
    failure: { field: 'eventPayload', message: expect.stringContaining(words), final: true },
  });
  expect(published).toEqual([]);
});
