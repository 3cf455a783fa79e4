import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { afterAll, beforeAll } from 'vitest';
import { describeFileStore } from '../../ports/file-store.conformance.ts';
import { createS3Store } from './s3.ts';

const directory = mkdtempSync(join(tmpdir(), 'millrace-s3-'));
const server = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory,
  configureBuckets: [{ name: 'drive', configs: [] }],
});
let port = 0;

beforeAll(async () => {
  ({ port } = await server.run());
});
afterAll(async () => {
  await server.close();
  rmSync(directory, { recursive: true, force: true });
});

describeFileStore('S3, against a server that speaks the protocol', () =>
  Promise.resolve(
    createS3Store({
      bucket: 'drive',
      region: 'us-east-1',
      endpoint: `http://127.0.0.1:${port}`,
      access_key_id: 'S3RVER',
      secret_access_key: 'S3RVER',
    }),
  ),
);
