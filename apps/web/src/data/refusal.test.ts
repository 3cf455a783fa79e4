import { expect, it } from 'vitest';
import { createApiError, isNotFound, isUnknownPerson } from './refusal.ts';

const invalid = (...places: string[][]) =>
  JSON.stringify({ detail: places.map((loc) => ({ loc, msg: 'must be a UUID', type: 'uuid' })) });

it.each([
  ['a thing that is gone', createApiError(404, '{"detail":"Workflow not found"}'), true],
  ['an address whose id is none', createApiError(422, invalid(['path', 'id'])), true],
  ['a field that is not valid', createApiError(422, invalid(['body', 'id'])), false],
  ['an address and a field', createApiError(422, invalid(['path', 'id'], ['query', 'limit'])), false],
  ['a refusal in words', createApiError(422, '{"detail":"Too long"}'), false],
  ['a thing that is not shared', createApiError(403, '{"detail":"Forbidden"}'), false],
  ['a server that breaks', createApiError(500, ''), false],
  ['no answer', new Error('unreachable'), false],
])('tells whether %s is not found', (_name, error, expected) => {
  expect(isNotFound(error)).toBe(expected);
});

it.each([
  ['a person without an account', createApiError(404, '{"detail":"User not found","field":"email"}'), true],
  ['a workflow that is gone', createApiError(404, '{"detail":"Workflow not found"}'), false],
  ['an address that is none', createApiError(422, invalid(['body', 'email'])), false],
])('tells whether %s is an unknown person', (_name, error, expected) => {
  expect(isUnknownPerson(error)).toBe(expected);
});
