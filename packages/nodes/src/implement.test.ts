import { defineNode, type Failure, field, NodeFailure, type NodeResult } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { implement, type NodeCall } from './implement.ts';
import { refusedParam } from './kit/refused-param.ts';

const definition = defineNode({
  type: 'sample',
  title: 'Sample',
  family: 'data',
  summary: 'Keeps values.',
  icon: 'box',
  params: z.object({ rows: field.mappings('Rows').default([]) }),
});

async function catchFailure(run: () => NodeResult | Promise<NodeResult>): Promise<Failure> {
  try {
    const result = await implement(definition, run).run({ params: {} } as NodeCall);
    if ('failure' in result) return result.failure;
  } catch (error) {
    if (error instanceof NodeFailure) return error.failure;
    throw error;
  }
  throw new Error('the node did not fail');
}

const refuse = (path: string, words = 'is taken'): never => {
  throw refusedParam(path, words);
};
const refusal = { kind: 'params', field: 'rows', message: 'is taken' } as const;

describe('a refused parameter is named as the form names it', () => {
  test.each([
    ['thrown at once', () => refuse('rows')],
    ['thrown later', async () => refuse('rows')],
    ['returned at once', () => ({ failure: refusal })],
    ['returned later', async () => ({ failure: refusal })],
    ['named already', () => refuse('rows', 'Rows (rows): is taken')],
  ])('when it is %s', async (_how, run) => {
    expect(await catchFailure(run)).toMatchObject({ field: 'rows', message: 'Rows (rows): is taken' });
  });

  test('with the place inside of it', async () => {
    expect(await catchFailure(() => refuse('rows.1.key'))).toMatchObject({
      message: 'Rows (rows.1.key): is taken',
    });
  });

  test('by its key when no field shows it', async () => {
    expect(await catchFailure(() => refuse('body'))).toMatchObject({ message: 'body: is taken' });
  });
});

test('failures of other kinds keep their words', async () => {
  const failure = { kind: 'credential', field: 'rows', message: 'Refused' } as const;
  expect(await catchFailure(() => ({ failure }))).toEqual(failure);
  await expect(catchFailure(() => Promise.reject(new TypeError('a bug')))).rejects.toThrow(TypeError);
});
