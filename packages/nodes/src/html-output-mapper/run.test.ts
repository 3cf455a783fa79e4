import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

test('the page is the template with its references filled in', async () => {
  const data = { html: '<h1>$input.title</h1>', statusCode: '201', contentType: 'text/html' };
  expect(await runNode('htmlOutputMapper', data, { inputs: { start: { title: 'Hi' } } })).toEqual({
    output: { html: '<h1>Hi</h1>', statusCode: 201, contentType: 'text/html' },
  });
});

test('an export that leaves everything out is an empty page', async () => {
  expect(await runNode('htmlOutputMapper', {})).toEqual({
    output: { html: '', statusCode: 200, contentType: 'text/html; charset=utf-8' },
  });
});

test.each(['text/html\r\nSet-Cookie: a=b', 'html', 'text/html\nx: y', 'text/html; é'])(
  'the content type %j is refused',
  async (contentType) => {
    expect(await runNode('htmlOutputMapper', { contentType })).toMatchObject({
      failure: { kind: 'params', field: 'contentType' },
    });
  },
);

test.each([199, 600, 201.5, 'ok', ''])('the status %j is answered as 200', async (statusCode) => {
  expect(await runNode('htmlOutputMapper', { statusCode })).toHaveProperty('output.statusCode', 200);
});

test('an empty content type is the usual one', async () => {
  expect(await runNode('htmlOutputMapper', { contentType: ' ' })).toHaveProperty(
    'output.contentType',
    'text/html; charset=utf-8',
  );
});
