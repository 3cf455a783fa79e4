import { describe, expect, it } from 'vitest';
import { scopeOf } from '../evaluate/scope.ts';
import { evaluateJsonText } from './json-text.ts';

const scope = scopeOf({
  values: { s: 'say "hi"', n: 5, list: [1, 2] },
  now: () => 0,
  uuid: () => '',
  random: () => 0,
});

describe('JSON text fields', () => {
  it('parses first and keeps the types of references inside', () => {
    const text = '{"a": "$s", "n": "$n", "list": ["$list", "x $n"], "t": true}';
    expect(evaluateJsonText(text, scope)).toEqual({
      value: { a: 'say "hi"', n: 5, list: [[1, 2], 'x 5'], t: true },
    });
  });

  it('fills in references first when the text is no JSON before', () => {
    expect(evaluateJsonText('{"n": $n, "s": $s.escape()}', scope)).toEqual({
      value: { n: 5, s: 'say "hi"' },
    });
  });

  it('says why a text is no JSON', () => {
    expect(evaluateJsonText('{"a": ', scope)).toEqual({
      problem: expect.stringContaining('This is not JSON'),
    });
  });

  it('drops keys that could reach a prototype', () => {
    expect(evaluateJsonText('{"__proto__": {"x": 1}, "ok": 1}', scope)).toEqual({ value: { ok: 1 } });
  });
});
