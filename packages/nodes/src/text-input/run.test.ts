import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

test('§4.1 rule 3: the output holds body, headers and query, and the keys of the body on the top level', async () => {
  const run_input = { headers: { 'x-a': '1' }, query: { q: '2' }, body: { text: 'hi' } };
  expect(await runNode('textInput', {}, { run_input })).toEqual({ output: { ...run_input, text: 'hi' } });
});

test('a body cannot pose as headers, query or body', async () => {
  const run_input = { headers: { a: '1' }, query: {}, body: { headers: 'x', query: 'y', body: 'z' } };
  expect(await runNode('textInput', {}, { run_input })).toEqual({ output: run_input });
});

test.each([['a text'], [[1, 2]], [5], [null], [true]])(
  'a body that is no object stays under body: %j',
  async (body) => {
    const run_input = { headers: {}, query: {}, body };
    expect(await runNode('textInput', {}, { run_input })).toEqual({ output: run_input });
  },
);

test('without run inputs the text of the node is the output', async () => {
  expect(await runNode('textInput', { value: 'hello' })).toEqual({ output: { text: 'hello' } });
  expect(await runNode('textInput', { value: '' })).toEqual({ output: {} });
});

test('a field that is missing in the body takes its default value', async () => {
  const inputFields = [
    { key: 'name', defaultValue: 'Ada' },
    { key: 'city', defaultValue: 'nowhere' },
  ];
  const run_input = { headers: {}, query: {}, body: { city: 'Paris' } };
  expect(await runNode('textInput', { inputFields }, { run_input })).toMatchObject({
    output: { name: 'Ada', city: 'Paris', body: { name: 'Ada', city: 'Paris' } },
  });
});

test('a null that was sent is no missing value', async () => {
  const inputFields = [{ key: 'name', defaultValue: 'Ada' }];
  const run_input = { headers: {}, query: {}, body: { name: null } };
  expect(await runNode('textInput', { inputFields }, { run_input })).toMatchObject({
    output: { name: null },
  });
});

test('defaults apply when there is no body at all', async () => {
  const inputFields = [{ key: 'name', defaultValue: 'Ada' }];
  const run_input = { headers: {}, query: {}, body: null };
  expect(await runNode('textInput', { inputFields }, { run_input })).toMatchObject({
    output: { name: 'Ada' },
  });
  expect(await runNode('textInput', { inputFields })).toEqual({ output: { name: 'Ada' } });
});

test.each(['__proto__', 'constructor', 'prototype'])('a body with the key %s is refused', async (key) => {
  const run_input = { headers: {}, query: {}, body: JSON.parse(`{"${key}": {"polluted": true}}`) };
  expect(await runNode('textInput', {}, { run_input })).toMatchObject({
    failure: { kind: 'params', field: 'body', message: expect.stringContaining(key) },
  });
  expect(Object.prototype).not.toHaveProperty('polluted');
});

test('what other triggers start a run with is passed on', async () => {
  const run_input = { triggered_by: 'cron' };
  expect(await runNode('textInput', {}, { run_input })).toEqual({ output: run_input });
});

test('values and default values are converted to the types of their fields', async () => {
  const inputFields = [
    { key: 'amount', type: 'number' },
    { key: 'limit', type: 'number', defaultValue: '50' },
    { key: 'urgent', type: 'boolean' },
  ];
  const run_input = { headers: {}, query: {}, body: { amount: '80', urgent: 'true' } };
  expect(await runNode('textInput', { inputFields }, { run_input })).toMatchObject({
    output: { amount: 80, limit: 50, urgent: true, body: { amount: 80, limit: 50, urgent: true } },
  });
});

test('a value that does not match the type of its field fails the node and names the field', async () => {
  const inputFields = [{ key: 'amount', type: 'number' }];
  const run_input = { headers: {}, query: {}, body: { amount: 'a lot' } };
  expect(await runNode('textInput', { inputFields }, { run_input })).toMatchObject({
    failure: { kind: 'params', message: 'The input "amount" must be a number' },
  });
});

test('empty text in a number field counts as missing', async () => {
  const inputFields = [{ key: 'amount', type: 'number', defaultValue: 5 }];
  const run_input = { headers: {}, query: {}, body: { amount: '' } };
  expect(await runNode('textInput', { inputFields }, { run_input })).toMatchObject({ output: { amount: 5 } });
});
