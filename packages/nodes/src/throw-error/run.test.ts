import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

test('§4.1 rule 6: message and HTTP status are those of the node', async () => {
  const data = { errorMessage: 'No $input.what found', httpStatusCode: 404 };
  expect(await runNode('throwError', data, { inputs: { start: { what: 'order' } } })).toEqual({
    failure: {
      kind: 'thrown',
      message: 'No order found',
      http_status: 404,
      details: { httpStatusCode: 404 },
      final: true,
    },
  });
});

test('without a status the answer keeps the one of any run error', async () => {
  const result = await runNode('throwError', { errorMessage: 'stop' });
  expect(result).toEqual({ failure: { kind: 'thrown', message: 'stop', final: true } });
});

test.each([{}, { errorMessage: '' }, { errorMessage: '  ' }])('%j says "Workflow error"', async (data) => {
  expect(await runNode('throwError', data)).toMatchObject({ failure: { message: 'Workflow error' } });
});

test.each([400, 418, 599, '503'])('the status %j is accepted', async (httpStatusCode) => {
  expect(await runNode('throwError', { errorMessage: 'stop', httpStatusCode })).toMatchObject({
    failure: { http_status: Number(httpStatusCode) },
  });
});

test.each([200, 302, 399, 600, 404.5, 'teapot', -1, true])(
  'the status %j is refused with the range',
  async (status) => {
    expect(await runNode('throwError', { errorMessage: 'stop', httpStatusCode: status })).toMatchObject({
      failure: { kind: 'params', field: 'httpStatusCode', message: expect.stringContaining('400 to 599') },
    });
  },
);
