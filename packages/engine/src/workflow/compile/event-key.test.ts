import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineNode } from '../../node-type/define-node.ts';
import { field } from '../../node-type/fields.ts';
import { compileParams } from './params.ts';

const definition = defineNode({
  type: 't',
  title: 'T',
  family: 'flow',
  summary: '',
  icon: '',
  params: z.object({
    key: field.custom(z.string(), 'Key', { kind: 'event_key', placeholder: '$input.id' }).default(''),
  }),
});
const findProblems = (key: string) => compileParams(definition, { key }).problems;

describe('a field for the key of an event', () => {
  it.each([
    ['nothing', ''],
    ['a field of the event', '$input.id'],
    ['an expression of several fields', '$input.a + "-" + $input.b'],
    ['the event with the time', '$input.id + $now.format("YYYY")'],
  ])('takes %s', (_, key) => {
    expect(findProblems(key)).toEqual([]);
  });

  it.each([
    ['text', 'order'],
    ['text with a reference, in which a missing value would stay as it is written', 'order-$input.id'],
    ['two references', '$input.a $input.b'],
    ['a broken expression', '$(input.a'],
    ['an unknown method', '$input.a.nothere()'],
    ['a value that is the same for every event', '$now.format("YYYY")'],
    ['another node', '$start.id + $input.id'],
    ['a variable', '$vars.prefix + $input.id'],
  ])('refuses %s with the way to write it', (_, key) => {
    expect(findProblems(key)).toMatchObject([
      {
        field: 'key',
        severity: 'error',
        message: 'Key (key): must be one expression that reads only $input, such as $input.id',
      },
    ]);
  });
});
