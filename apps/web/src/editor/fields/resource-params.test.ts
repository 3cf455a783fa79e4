import { field, fieldMeta } from '@millrace/engine';
import { expect, test } from 'vitest';
import { missingParams, resourceParams } from './resource-params.ts';

const meta = fieldMeta(
  field.resource('Table', { resource: { list: 'tables', depends_on: ['credentialId', 'document'] } }),
);
if (!meta) throw new Error('the field has no description');

test('a list is asked with the plain texts that it depends on', () => {
  const params = resourceParams(meta, { credentialId: 'c', document: ' d ', other: 'x' });
  expect(params).toEqual({ credentialId: 'c', document: 'd' });
  expect(missingParams(meta, params)).toEqual([]);
});

test.each(['$input.document', '', 7, undefined])('%s is nothing to ask with', (document) => {
  const params = resourceParams(meta, { credentialId: 'c', ...(document === undefined ? {} : { document }) });
  expect(missingParams(meta, params)).toEqual(['document']);
});
