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

test('what only narrows a list is sent when it is there, and not missed otherwise', () => {
  const narrowed = fieldMeta(
    field.resource('Model', {
      resource: { list: 'models', depends_on: ['credentialId'], narrowed_by: ['outputType'] },
    }),
  );
  if (!narrowed) throw new Error('the field has no description');
  const both = { credentialId: 'c', outputType: 'image' };
  expect(resourceParams(narrowed, both)).toEqual(both);
  expect(missingParams(narrowed, resourceParams(narrowed, { credentialId: 'c' }))).toEqual([]);
});

test.each(['$input.document', '', 7, undefined])('%s is nothing to ask with', (document) => {
  const params = resourceParams(meta, { credentialId: 'c', ...(document === undefined ? {} : { document }) });
  expect(missingParams(meta, params)).toEqual(['document']);
});
