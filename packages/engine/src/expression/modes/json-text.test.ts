import { describe, expect, it } from 'vitest';
import { compile } from '../compile.ts';
import { createScope } from '../evaluate/scope.ts';

const scope = createScope({
  values: { s: 'say "hi"', n: 5, list: [1, 2] },
  now: () => 0,
  uuid: () => '',
  random: () => 0,
});
const read = (text: string) => compile(text, 'json').evaluate(scope);

describe('JSON text fields', () => {
  it('parse first and keep the types of references inside', () => {
    const text = '{"a": "$s", "n": "$n", "list": ["$list", "x $n"], "t": true}';
    expect(read(text)).toEqual({ a: 'say "hi"', n: 5, list: [[1, 2], 'x 5'], t: true });
  });

  it('take references outside of quotes, and one expression, as values', () => {
    expect(read('{"n": $n, "list": $list}')).toEqual({ n: 5, list: [1, 2] });
    expect(read('$list')).toEqual([1, 2]);
  });

  it('leave text that is no JSON for the node to refuse', () => {
    expect(read('{"a": ')).toBe('{"a": ');
    expect(read('{"a": "x"}')).toBe('{"a": "x"}');
  });

  it('drop keys that could reach a prototype', () => {
    expect(read('{"__proto__": {"x": 1}, "ok": "$n"}')).toEqual({ ok: 5 });
  });

  it('name every reference with its place', () => {
    const text = '{"a": ["$s", "x $n"]}';
    expect(compile(text, 'json').references.map(({ name, start }) => [name, start])).toEqual([
      ['s', text.indexOf('$s')],
      ['n', text.indexOf('$n')],
    ]);
  });

  it('fail when they are nested too deeply', () => {
    expect(() => read(`${'['.repeat(2_000)}"$n"${']'.repeat(2_000)}`)).toThrow('nested too deeply');
  });
});
