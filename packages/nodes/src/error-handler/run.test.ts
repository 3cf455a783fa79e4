import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

const error = { node_id: 'n1', node_label: 'call', node_type: 'http', message: 'connection refused' };

test('the output holds the failure and the message made of it', async () => {
  expect(await runNode('errorHandler', { message: 'Failed: $error.message' }, { error })).toEqual({
    output: {
      error,
      errorNode: 'call',
      errorNodeType: 'http',
      timestamp: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*Z$/),
      message: 'Failed: connection refused',
    },
  });
});

test('an export without a message has the failure alone', async () => {
  expect(await runNode('errorHandler', {}, { error })).toMatchObject({ output: { error } });
});
