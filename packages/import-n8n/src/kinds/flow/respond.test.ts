import { createScope, evaluate, type Json } from '@millrace/engine';
import { describe, expect, it } from 'vitest';
import { base, one } from '../../testing/converted.ts';

const respond = (responseBody: Json, respondWith = 'json') =>
  one(base('respondToWebhook'), 1.1, { respondWith, responseBody, options: { responseCode: 201 } });

const answer = (responseBody: string, x: Json): unknown => {
  const { settings } = respond(responseBody);
  const scope = createScope({ values: { Before: { x } }, now: () => 0, uuid: () => '', random: () => 0 });
  return evaluate(String(settings['html']), 'value', scope);
};

describe('an answer with JSON', () => {
  it.each<[string, Json, string]>([
    ['={{ $json.x }}', '{"a": 1}', '{"a":1}'],
    ['={{ $json.x }} ', '[1]', '[1]'],
    ['={{ $json.x }}', { a: 1 }, '{"a":1}'],
    ['={{ $json.x }}', 3, '3'],
    [`={{ '{"a":' + $json.x + '}' }}`, 3, '{"a":3}'],
    ['={{ JSON.stringify($json.x) }}', 'a "b"', '"a \\"b\\""'],
    ['={{ { a: $json.x } }}', '{"b":1}', '{"a":"{\\"b\\":1}"}'],
    ['={"a": {{ $json.x }}}', 3, '{"a":3}'],
  ])('%s is read as n8n reads it: %j', (body, x, text) => {
    expect(answer(body, x)).toBe(text);
  });

  it('fails for text that is none', () => {
    expect(() => answer('={{ $json.x }}', 'hello')).toThrow('valid JSON');
  });

  it('is not sent as the expression that it cannot be translated from', () => {
    for (const mode of ['json', 'text']) {
      const { type, lines } = respond('={{ $evaluateExpression("1") }}', mode);
      expect(type).toBe('n8n-nodes-base.respondToWebhook');
      expect(lines).toContainEqual(
        expect.stringContaining('kept as it is and cannot run here: an expression cannot be translated'),
      );
    }
  });
});
