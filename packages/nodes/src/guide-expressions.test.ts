import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createScope, evaluate } from '@millrace/engine';
import { describe, expect, test } from 'vitest';

const SOURCE = import.meta.dirname;

/** The values that the sentences of guides refer to. `<name>` in an expression stands for any name. */
const VALUES = {
  input: {
    n: 5,
    text: 'Ada',
    name: 'Ada',
    items: [1, 2],
    headers: { 'x-a': '1' },
    body: { text: 'Ada', id: 7 },
    message: { chat: { id: 7 }, data: { id: 7 } },
    event: { event: { client_msg_id: 'm-7' } },
    data: { custom_id: 'accept' },
    trigger_event: 'BOOKING_CREATED',
    payload: { uid: 'b-7' },
    email: { messageId: '<7@example.com>' },
  },
  textInput: { text: 'Ada' },
  loop: { item: 3, index: 0, total: 1 },
  vars: { list: [1, 2], name: [1] },
  global: { n: 4, name: 'kept' },
  credentials: { name: 'k-7' },
  error: { message: 'refused', node_label: 'call', node_type: 'http', node_id: '2' },
  name: { error: { message: 'refused' } },
  callback: { url: 'https://example.com/callbacks/1' },
  x: 3,
};

const scope = () =>
  createScope({
    values: VALUES,
    now: () => Date.UTC(2026, 0, 31),
    uuid: () => '0'.repeat(32),
    random: () => 0.5,
  });

const guides = readdirSync(SOURCE, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) => (readdirSync(join(SOURCE, name)).includes('guide.md') ? [name] : []));

/** Expressions in sentences; those in examples run with them. */
function findExpressions(guide: string): string[] {
  const sentences = readFileSync(join(SOURCE, guide, 'guide.md'), 'utf8').replace(/^```[\s\S]*?^```$/gm, '');
  const spans = [...sentences.matchAll(/`([^`]*\$[^`]*)`/g)].map(([, text = '']) => text);
  return spans.filter((text) => text !== '$').map((text) => text.replace(/<[^>]*>/g, 'name'));
}

test('guides with expressions in their sentences are found', () => {
  expect(guides.filter((name) => findExpressions(name).length > 0).length).toBeGreaterThanOrEqual(6);
});

describe.each(
  guides.map((name) => [name, findExpressions(name)] as const).filter(([, all]) => all.length > 0),
)('the guide of %s', (_name, expressions) => {
  test.each(expressions)('%s can be written into a field', (text) => {
    const result = evaluate(text, 'value', scope());
    expect(result).not.toBeNull();
    // Text that comes back as it was written was not understood.
    expect(result).not.toBe(text);
  });
});

describe('results that guides state', () => {
  const stated = guides.flatMap((guide) => {
    const text = readFileSync(join(SOURCE, guide, 'guide.md'), 'utf8');
    // A condition is read as an expression wherever it contains `$`.
    const mode = guide === 'condition' ? 'condition' : 'value';
    return [...text.matchAll(/`([^`]*\$[^`]*)` gives `([^`]*)`/g)].map(
      ([, from = '', to = '']) => [from, to, mode] as const,
    );
  });

  test('are found', () => expect(stated.length).toBeGreaterThanOrEqual(2));

  test.each(stated)('%s gives %s', (expression, result, mode) => {
    expect(JSON.stringify(evaluate(expression, mode, scope()))).toBe(result);
  });
});
