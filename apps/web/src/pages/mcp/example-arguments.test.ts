import { expect, it } from 'vitest';
import { exampleArguments } from './example-arguments.ts';

it('arguments begin with default values, else with the first choice or an empty value of their type', () => {
  const schema = {
    type: 'object' as const,
    properties: {
      city: { type: 'string' },
      days: { type: 'number', default: 3 },
      count: { type: 'number' },
      unit: { type: 'string', enum: ['C', 'F'] },
      tags: { type: 'array' },
      loud: { type: 'boolean', default: true },
    },
    required: ['city'],
  };
  expect(exampleArguments(schema)).toEqual({ city: '', days: 3, count: 0, unit: 'C', tags: [], loud: true });
});
