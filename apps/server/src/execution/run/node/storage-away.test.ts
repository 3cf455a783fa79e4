import { expect, test } from 'vitest';
import { graph } from '../../../resources/executions/testing/workflows.ts';
import { JournalUnavailable } from '../../model/errors.ts';
import { createTestEnvironment, start } from '../../testing/run-environment.ts';

const coded = (code: string) => Object.assign(new Error('of the server'), { code });
const lookingUp = graph(
  [
    ['start', 'textInput'],
    ['find', 'dataTable', { dataTableId: 'any', operation: 'findAll' }],
    ['out', 'output', { message: '$find.rows' }],
  ],
  ['start>find', 'find>out'],
);

function runWith(failure: Error) {
  const refuses = () => Promise.reject(failure);
  const tables = { find: refuses, count: refuses, read: refuses, write: refuses };
  return start(createTestEnvironment({ run_tables: { of: () => tables } }), lookingUp);
}

test.each([
  new Error('Query read timeout'),
  new Error('Failed query: select 1', { cause: new Error('Query read timeout') }),
  coded('57P03'),
  coded('53100'),
  new Error('Failed query: select 1', { cause: coded('40001') }),
])('a run is not failed by a database that answers late or is out of resources: %s', async (error) => {
  await expect((await runWith(error)).finished).rejects.toThrow(JournalUnavailable);
});

test('a statement of a table that the database gives up on fails the node, with what to change', async () => {
  const ended = await (await runWith(coded('57014'))).finished;
  expect(ended).toMatchObject({ status: 'error', outputs: { error: expect.stringContaining('fewer rows') } });
});

test('an error that would come again fails the node', async () => {
  expect(await (await runWith(coded('42703'))).finished).toMatchObject({ status: 'error' });
});
