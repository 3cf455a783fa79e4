import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createScope } from '../../expression/index.ts';
import type { JsonObject } from '../../json.ts';
import { defineNode, type NodeDefinition } from '../../node-type/define-node.ts';
import { field } from '../../node-type/fields.ts';
import { NodeFailure } from '../../run/node-run.ts';
import { compileParams } from './params.ts';

const scope = createScope({
  values: { n: 5, s: 'text', list: [1, 2], credentials: { key: 'k' } },
  now: () => 0,
  uuid: () => '',
  random: () => 0,
});

function definition(params: z.ZodObject): NodeDefinition {
  return defineNode({ type: 't', title: 'T', family: 'flow', summary: '', icon: '', params });
}

function resolve(schema: z.ZodType, stored: JsonObject) {
  return compileParams(definition(z.object({ p: schema })), stored).resolve(scope);
}

function failure(schema: z.ZodType, stored: JsonObject) {
  try {
    resolve(schema, stored);
  } catch (error) {
    if (error instanceof NodeFailure) return error.failure;
  }
  return null;
}

describe('stored parameters', () => {
  it.each<[string, z.ZodType, JsonObject, unknown]>([
    ['an absent key takes the default', field.text('P').default('d'), {}, 'd'],
    ['null counts as absent where it is not allowed', field.text('P').default('d'), { p: null }, 'd'],
    ['null stays where it is allowed', z.null().or(z.string()).default('d'), { p: null }, null],
    ['an absent optional key stays absent', field.text('P').optional(), {}, undefined],
    ['a literal is not evaluated', field.text('P'), { p: '$n' }, '$n'],
    ['a template becomes text', field.template('P'), { p: 'n=$n' }, 'n=5'],
    ['a template without references is kept', field.template('P'), { p: 'plain' }, 'plain'],
    ['a value keeps its type', field.value('P'), { p: '$list' }, [1, 2]],
    ['a value that is stored natively is kept', field.value('P'), { p: { a: '$n' } }, { a: '$n' }],
    ['a raw expression keeps its type', field.raw('P'), { p: '$n + 1' }, 6],
    ['a condition becomes true or false', field.condition('P'), { p: '$n > 3' }, true],
    ['a condition that cannot be evaluated is false', field.condition('P'), { p: '$n >' }, false],
    ['a number may be stored as text', field.number('P'), { p: '12' }, 12],
    ['a number may be an expression', field.number('P'), { p: '$n' }, 5],
    ['a number may be an expression that yields text', field.number('P'), { p: '$str(n)' }, 5],
    ['a switch may be an expression', field.boolean('P'), { p: '$n == 5' }, true],
    ['a switch may be an expression that yields text', field.boolean('P'), { p: '$lower("TRUE")' }, true],
    ['a default that is an expression is evaluated', field.template('P').default('$s!'), {}, 'text!'],
    ['a default that is a value is taken as it is', field.condition('P').default(true), {}, true],
    ['a choice is checked', field.choice('P', ['a', 'b']), { p: 'b' }, 'b'],
  ])('%s', (_, schema, stored, value) => {
    expect(resolve(schema, stored)['p']).toEqual(value);
  });

  it('mappings evaluate each value and skip rows without a name', () => {
    const rows = [
      { key: 'a', value: '$n' },
      { key: '', value: '$n' },
      { key: 'b', value: { kept: true } },
      { key: 'c' },
    ];
    expect(resolve(field.mappings('P'), { p: rows })['p']).toEqual([
      { key: 'a', value: 5 },
      { key: 'b', value: { kept: true } },
      { key: 'c', value: null },
    ]);
  });

  it('mappings refuse names that could reach a prototype', () => {
    expect(failure(field.mappings('P'), { p: [{ key: '__proto__', value: 1 }] })).toMatchObject({
      kind: 'params',
      field: 'p.0.key',
    });
  });

  it('fields inside lists and objects are evaluated by their own mode', () => {
    const step = z.object({ action: z.string(), url: field.template('Url'), times: field.number('Times') });
    const schema = field.custom(z.array(step), 'Steps', { kind: 'json' });
    const stored = { p: [{ action: '$n', url: 'http://$s', times: '3' }] };
    expect(resolve(schema, stored)['p']).toEqual([{ action: '$n', url: 'http://text', times: 3 }]);
    expect(resolve(schema, { p: [{ action: 'a', url: 'b', times: 1 }] })['p']).toHaveLength(1);
  });

  it('values of an object with any keys are evaluated by the mode of the value', () => {
    const schema = field.custom(z.record(z.string(), field.template('Value')), 'Arguments', { kind: 'json' });
    expect(resolve(schema, { p: { a: 'n=$n', b: 'plain' } })['p']).toEqual({ a: 'n=5', b: 'plain' });
    const compiled = compileParams(definition(z.object({ p: schema })), { p: { a: '$other.x' } });
    expect(compiled.references).toMatchObject([{ field: 'p.a', name: 'other', path: ['x'] }]);
  });

  it('transforms of a schema see the evaluated value', () => {
    const schema = field.custom(z.union([z.number(), z.string()]).transform(Number), 'P', {
      kind: 'number',
      mode: 'raw',
    });
    expect(resolve(schema, { p: '$n * 2' })['p']).toBe(10);
  });

  it('rules of the whole object are checked too', () => {
    const params = z.object({ a: field.number('A'), b: field.number('B') }).refine(({ a, b }) => a < b, {
      error: 'A must be less than B',
      path: ['a'],
    });
    const compiled = compileParams(definition(params), { a: 2, b: 1 });
    expect(compiled.problems).toMatchObject([
      { code: 'invalid_param', field: 'a', message: 'a: A must be less than B' },
    ]);
    const moving = compileParams(definition(params), { a: '$n', b: 1 });
    expect(moving.problems).toEqual([]);
    expect(() => moving.resolve(scope)).toThrow('A must be less than B');
    expect(compileParams(definition(params), { a: '$n', b: 9 }).resolve(scope)).toEqual({ a: 5, b: 9 });
  });

  it('a wrong literal fails with its field and never costs a second attempt', () => {
    expect(failure(field.number('Port', {}).max(10), { p: 99 })).toMatchObject({
      kind: 'params',
      field: 'p',
      final: true,
    });
    expect(failure(field.text('P'), {})).toMatchObject({
      field: 'p',
      message: 'P (p): is missing; enter a value',
    });
  });

  it('a wrong evaluated value fails with its field', () => {
    expect(failure(field.number('P'), { p: '$s' })).toMatchObject({ kind: 'params', field: 'p' });
    expect(failure(field.number('P'), { p: '$str("")' })).toMatchObject({ kind: 'params' });
    expect(failure(field.boolean('P'), { p: '$s' })).toMatchObject({ kind: 'params' });
  });

  it('a failing expression fails with its field', () => {
    expect(failure(field.value('P'), { p: '$range(3, 1)' })).toMatchObject({
      kind: 'expression',
      field: 'p',
    });
  });

  it('a parameter that the form does not show cannot be wrong', () => {
    const params = z.object({
      mode: field.choice('Mode', ['a', 'b']).default('a'),
      only: field.number('Only', { shown_when: [{ field: 'mode', is: ['b'] }] }),
    });
    expect(compileParams(definition(params), { only: 'x' }).problems).toEqual([]);
    expect(compileParams(definition(params), {}).problems).toEqual([]);
    expect(compileParams(definition(params), { mode: 'b', only: 'x' }).problems).toHaveLength(1);
  });

  it('a shape that no rule covers is left to the schema', () => {
    expect(failure(field.mappings('P'), { p: ['row'] })).toMatchObject({ kind: 'params' });
    expect(failure(field.mappings('P'), { p: 'rows' })).toMatchObject({ kind: 'params' });
    const anything = field.custom(z.looseObject({ a: z.string() }), 'P', { kind: 'json' });
    const stored: JsonObject = JSON.parse('{"a": "b", "extra": [1], "__proto__": {}}');
    expect(resolve(anything, { p: stored })['p']).toEqual({ a: 'b', extra: [1] });
  });

  it('references, credentials, workflows and labels are listed with their places', () => {
    const params = z.object({
      text: field.template('Text'),
      credentialId: field.custom(z.string(), 'Credential', { kind: 'credential' }).default(''),
      workflowId: field.custom(z.string(), 'Workflow', { kind: 'workflow' }),
      step: z.object({ credentialId: field.custom(z.string(), 'Inner', { kind: 'credential' }) }),
      target: field.custom(z.string(), 'Target', { kind: 'node_label' }),
    });
    const compiled = compileParams(definition(params), {
      text: 'a $credentials.key b $other.x.y',
      workflowId: 'w1',
      step: { credentialId: 'c1' },
      target: 'n1',
    });
    expect(compiled.references).toMatchObject([
      { field: 'text', name: 'credentials', path: ['key'], start: 2 },
      { field: 'text', name: 'other', path: ['x', 'y'] },
    ]);
    expect(compiled.credentials).toEqual([{ field: 'step.credentialId', value: 'c1' }]);
    expect(compiled.workflows).toEqual([{ field: 'workflowId', value: 'w1' }]);
    expect(compiled.labels).toEqual([{ field: 'target', value: 'n1' }]);
  });

  it('fixed parameters are read once and shared', () => {
    const compiled = compileParams(definition(z.object({ p: field.text('P') })), { p: 'x' });
    expect(compiled.resolve(scope)).toBe(compiled.resolve(scope));
    expect(Object.isFrozen(compiled.resolve(scope))).toBe(true);
  });

  it('keys of the data that could reach a prototype are not parameters', () => {
    const data = JSON.parse('{"__proto__": {"p": "inherited"}}') as JsonObject;
    expect(resolve(field.text('P').default('own'), data)['p']).toBe('own');
  });
});
