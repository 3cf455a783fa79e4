import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { defineOperations } from '../kit/integration/operations.ts';
import { s3Credential } from './credential.ts';

const OBJECT = ['s3Bucket', 's3Key'];
const FOLDER = ['s3Bucket', 's3Prefix'];

const { params, effect } = defineOperations({
  key: 's3Operation',
  initial: 'putObject',
  operations: {
    putObject: {
      title: 'Upload an object',
      effect: 'idempotent',
      fields: [...OBJECT, 's3Body', 's3ContentType'],
    },
    getObject: { title: 'Download an object', effect: 'read', fields: [...OBJECT, 's3IncludeBinary'] },
    deleteObject: { title: 'Delete an object', effect: 'idempotent', fields: OBJECT },
    copyObject: {
      title: 'Copy an object',
      effect: 'idempotent',
      fields: ['s3SourceBucket', 's3SourceKey', ...OBJECT],
    },
    listObjects: {
      title: 'List objects',
      effect: 'read',
      fields: [...FOLDER, 's3MaxKeys', 's3ContinuationToken'],
    },
    createFolder: { title: 'Create a folder', effect: 'idempotent', fields: FOLDER },
    deleteFolder: { title: 'Delete a folder with its objects', effect: 'idempotent', fields: FOLDER },
    getAllFolder: { title: 'List every object of a folder', effect: 'read', fields: FOLDER },
    createBucket: { title: 'Create a bucket', effect: 'idempotent', fields: ['s3Bucket'] },
    deleteBucket: { title: 'Delete a bucket', effect: 'unsafe', fields: ['s3Bucket'] },
    listBuckets: { title: 'List buckets', effect: 'read', fields: [] },
  },
  fields: {
    s3SourceBucket: field
      .resource('Source bucket', {
        resource: { list: 'buckets', depends_on: ['credentialId'] },
        help: 'Empty: the target bucket.',
      })
      .default(''),
    s3SourceKey: field
      .template('Source key', { when_empty: 'Enter the key of the source object' })
      .default(''),
    s3Bucket: field
      .resource('Bucket', {
        resource: { list: 'buckets', depends_on: ['credentialId'] },
        when_empty: 'Choose the bucket',
      })
      .default(''),
    s3Key: field
      .template('Key', { placeholder: 'reports/2026.csv', when_empty: 'Enter the key of the object' })
      .default(''),
    s3Prefix: field.template('Folder or prefix', { placeholder: 'reports/' }).default(''),
    s3Body: field
      .template('Content', {
        kind: 'multiline',
        help: 'Text. Bytes are written as data:TYPE;base64,...',
      })
      .default('$input.text'),
    s3ContentType: field.template('Content type').default('text/plain'),
    s3MaxKeys: field.value('At most', { help: 'Objects on one page, 1 to 1000.' }).default('100'),
    s3ContinuationToken: field
      .template('Continue at', { help: 'next_continuation_token of the page before.' })
      .default(''),
    s3IncludeBinary: field
      .boolean('As base64', { help: 'Returns body_base64 instead of body_text.' })
      .default(false),
  },
});

export const s3 = defineNode({
  type: 's3',
  title: 'S3',
  family: 'integration',
  summary: 'Reads and changes objects and buckets of Amazon S3 and of servers that speak its protocol.',
  search_words: ['aws', 'minio', 'storage'],
  icon: [
    ['path', { d: 'M4 6c0-1.7 3.6-3 8-3s8 1.3 8 3-3.6 3-8 3-8-1.3-8-3z' }],
    ['path', { d: 'M4 6l2 13c.2 1.1 2.8 2 6 2s5.8-.9 6-2l2-13' }],
  ],
  credentials: [s3Credential],
  params: z.object({
    credentialId: field
      .text('Credential', {
        kind: 'credential',
        credential_types: ['s3'],
        when_empty: 'Choose the object storage',
      })
      .default(''),
    ...params,
  }),
  initial: {
    label: 'amazonS3',
    s3Operation: 'putObject',
    s3Body: '$input.text',
    s3ContentType: 'text/plain',
    s3MaxKeys: '100',
  },
  effect,
});
