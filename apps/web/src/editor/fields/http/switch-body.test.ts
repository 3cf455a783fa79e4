import type { FormBody } from '@millrace/nodes/curl-form';
import { expect, test } from 'vitest';
import { switchBody } from './switch-body.ts';

const part = { filename: '', type: '', is_file: false };
const parts: FormBody = {
  kind: 'multipart',
  rows: [
    { ...part, name: 'title', value: 'a' },
    { name: 'doc', value: '$upload.file', filename: 'a.csv', type: 'text/csv', is_file: true },
  ],
};

function visit(first: FormBody, ...steps: (FormBody['kind'] | FormBody)[]): FormBody {
  const left = [first];
  for (const step of steps) left.push(typeof step === 'string' ? switchBody(step, left) : step);
  return left.at(-1) as FormBody;
}

test.each(['none', 'json', 'form', 'file', 'raw'] as const)('files come back after %s', (kind) => {
  expect(visit(parts, kind, 'multipart')).toEqual(parts);
});

test('what was changed in the other kind is kept, and stays a file where its name does', () => {
  const changed: FormBody = {
    kind: 'form',
    rows: [
      { name: 'doc', value: '$other.file', raw: false },
      { name: 'new', value: 'b', raw: false },
    ],
    type: '',
  };
  expect(visit(parts, 'form', changed, 'multipart')).toEqual({
    kind: 'multipart',
    rows: [
      { name: 'doc', value: '$other.file', filename: 'a.csv', type: 'text/csv', is_file: true },
      { ...part, name: 'new', value: 'b' },
    ],
  });
});

test('a text comes back after kinds without one, with the content type that it had', () => {
  const raw: FormBody = { kind: 'raw', text: '<a/>', type: 'text/xml' };
  expect(visit(raw, 'form', 'raw')).toEqual(raw);
  expect(visit(raw, 'none', 'json')).toEqual({ kind: 'json', text: '<a/>', type: 'application/json' });
  expect(visit(raw, 'json', { kind: 'json', text: '{}', type: 'application/json' }, 'raw')).toEqual({
    ...raw,
    text: '{}',
  });
});
