import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, JsonObject } from '@millrace/engine';
import S3rver from 's3rver';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { implementations } from '../runtime.ts';
import type { Egress, EgressRequest } from '../services.ts';
import { realEgress } from '../testing/real-egress.ts';
import { runNode, traceNode } from '../testing/run-node.ts';
import { signatureProblem } from '../testing/servers/aws-signature.ts';
import { testConnection } from '../testing/servers/databases.ts';

// A server of the protocol. It checks no signatures of version 4, so `noting` does before a request reaches it.
const directory = mkdtempSync(join(tmpdir(), 'millrace-s3-'));
const server = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory,
  configureBuckets: [{ name: 'drive', configs: [] }],
});
let config: JsonObject = {};

beforeAll(async () => {
  const { port } = await server.run();
  config = {
    endpoint_url: `http://127.0.0.1:${port}`,
    aws_region: 'us-east-1',
    aws_access_key_id: 'S3RVER',
    aws_secret_access_key: 'S3RVER',
  };
});
afterAll(async () => {
  await server.close();
  rmSync(directory, { recursive: true, force: true });
});

const credential = (values: JsonObject) => async () => ({ id: 'c', name: 'c', type: 's3', values });

/** Requests that left. */
const sent: EgressRequest[] = [];

/** A way to the server for signed requests; others get what Amazon answers to them. */
function noting(): Egress {
  const http = realEgress();
  return {
    ...http,
    request: async (request) => {
      sent.push(request);
      const problem = signatureProblem(request, 'S3RVER');
      if (problem === undefined) return http.request(request);
      const xml = `<Error><Code>SignatureDoesNotMatch</Code><Message>${problem}</Message></Error>`;
      return {
        status: 403,
        headers: { 'content-type': 'application/xml' },
        url: request.url,
        body: (async function* () {
          yield Buffer.from(xml);
        })(),
      };
    },
  };
}

const run = (s3Operation: string, data: JsonObject = {}, inputs: Record<string, Json> = {}) =>
  runNode(
    's3',
    { credentialId: 'c', s3Operation, s3Bucket: 'drive', ...data },
    { inputs, services: { http: noting(), credential: credential(config) } },
  );

async function awaitOutput(result: Promise<unknown>): Promise<JsonObject> {
  const { output } = (await result) as { output?: JsonObject };
  if (output === undefined) throw new Error(JSON.stringify(await result));
  return output;
}

test('an object is uploaded, read, copied and deleted', async () => {
  const s3Key = "reports/März 2026 (a) 'b'*!.txt";
  // The server of the test decodes no more than these in the source of a copy.
  const s3SourceKey = 'reports/März 2026.txt';
  const put = await awaitOutput(run('putObject', { s3Key, s3Body: '$input.text' }, { a: { text: 'grün' } }));
  expect(put).toEqual({
    success: true,
    bucket: 'drive',
    key: s3Key,
    etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
  });
  expect(await awaitOutput(run('getObject', { s3Key }))).toEqual({
    success: true,
    bucket: 'drive',
    key: s3Key,
    content_type: 'text/plain',
    content_length: 5,
    body_text: 'grün',
  });
  expect(await awaitOutput(run('getObject', { s3Key, s3IncludeBinary: true }))).toMatchObject({
    body_base64: Buffer.from('grün').toString('base64'),
  });
  await run('putObject', { s3Key: s3SourceKey, s3Body: 'grün' });
  expect(
    await awaitOutput(run('copyObject', { s3SourceBucket: 'drive', s3SourceKey, s3Key: 'copy ü.txt' })),
  ).toEqual({
    success: true,
    source_bucket: 'drive',
    source_key: s3SourceKey,
    bucket: 'drive',
    key: 'copy ü.txt',
    etag: put['etag'],
  });
  expect(await awaitOutput(run('getObject', { s3Key: 'copy ü.txt' }))).toMatchObject({ body_text: 'grün' });
  expect(await awaitOutput(run('deleteObject', { s3Key }))).toEqual({
    success: true,
    bucket: 'drive',
    key: s3Key,
    delete_marker: false,
  });
  expect(await run('getObject', { s3Key })).toMatchObject({
    failure: { kind: 'upstream', final: true, message: expect.stringContaining('The object does not exist') },
  });
});

test('bytes go up as a data URL and come down as base64', async () => {
  const bytes = Buffer.from([0xff, 0, 0xd8, 1]).toString('base64');
  await run('putObject', { s3Key: 'a.jpg', s3Body: `data:image/jpeg;base64,${bytes}`, s3ContentType: '' });
  expect(await awaitOutput(run('getObject', { s3Key: 'a.jpg' }))).toMatchObject({
    content_type: 'image/jpeg',
    content_length: 4,
    body_base64: bytes,
  });
});

test('a long object goes up in parts, none of which is larger than 8 MiB', async () => {
  const text = 'abcdefghij'.repeat(1_800_000);
  sent.length = 0;
  await awaitOutput(run('putObject', { s3Key: 'long.txt', s3Body: text }));
  const parts = sent.filter(({ method, url }) => method === 'PUT' && url.includes('partNumber='));
  expect(parts.map(({ body }) => Buffer.from(body as Uint8Array).length)).toEqual([
    8388608, 8388608, 1222784,
  ]);
  const got = await awaitOutput(run('getObject', { s3Key: 'long.txt' }));
  expect(got['body_text'] === text).toBe(true);
});

test('a run that is cancelled between two parts leaves no part behind', async () => {
  const cancelled = new AbortController();
  sent.length = 0;
  const http = noting();
  const result = await runNode(
    's3',
    {
      credentialId: 'c',
      s3Operation: 'putObject',
      s3Bucket: 'drive',
      s3Key: 'half.txt',
      s3Body: 'abcdefghij'.repeat(1_800_000),
    },
    {
      signal: cancelled.signal,
      services: {
        credential: credential(config),
        http: {
          ...http,
          request: (request) => {
            if (request.url.includes('partNumber=2')) cancelled.abort();
            return http.request(request);
          },
        },
      },
    },
  );
  expect(result).toMatchObject({ failure: { kind: 'cancelled' } });
  expect(sent.at(-1)).toMatchObject({ method: 'DELETE', url: expect.stringContaining('uploadId=') });
  expect(sent.at(-1)?.signal.aborted).toBe(false);
});

// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html; the server above cannot make tokens.
function listing({ method, url }: EgressRequest) {
  const { pathname, searchParams } = new URL(url);
  const of = (name: string) => searchParams.get(name) ?? '';
  if (method !== 'GET' || pathname !== '/drive/' || of('list-type') !== '2' || of('prefix') !== 'pages/')
    return { status: 400, body: '<Error><Code>InvalidRequest</Code></Error>' };
  const start = of('continuation-token') === '' ? 0 : Number(of('continuation-token').split('+')[1]);
  const end = start + Math.min(Number(of('max-keys') || '1000'), 2);
  const keys = ['a', 'b', 'c', 'd', 'e'];
  const objects = keys
    .slice(start, end)
    .map((key) => `<Contents><Key>pages/${key}</Key><Size>1</Size><ETag>"e"</ETag></Contents>`);
  const next = end < keys.length ? `<NextContinuationToken>token+${end}</NextContinuationToken>` : '';
  return {
    headers: { 'content-type': 'application/xml' },
    body: `<ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${next}${objects.join('')}</ListBucketResult>`,
  };
}

const list = (s3Operation: string, data: JsonObject) =>
  awaitOutput(
    runNode(
      's3',
      { credentialId: 'c', s3Operation, s3Bucket: 'drive', s3Prefix: 'pages/', ...data },
      { services: { credential: credential(config) }, answer: listing },
    ),
  );

test('objects are listed page by page', async () => {
  const first = await list('listObjects', { s3MaxKeys: '2' });
  expect(first).toMatchObject({
    count: 2,
    truncated: true,
    next_continuation_token: 'token+2',
    objects: [{ key: 'pages/a', size: 1, etag: '"e"' }, { key: 'pages/b' }],
  });
  expect(await list('listObjects', { s3MaxKeys: 1, s3ContinuationToken: 'token+4' })).toMatchObject({
    count: 1,
    truncated: false,
    next_continuation_token: null,
    objects: [{ key: 'pages/e' }],
  });
  expect(await list('getAllFolder', {})).toMatchObject({
    count: 5,
    objects: [{}, {}, {}, {}, { key: 'pages/e' }],
  });
});

test('a folder is created, listed and deleted with its objects and no others', async () => {
  expect(await awaitOutput(run('createFolder', { s3Prefix: 'old' }))).toMatchObject({
    folder: 'old/',
    bucket: 'drive',
  });
  await run('putObject', { s3Key: 'old/1.txt', s3Body: 'x' });
  await run('putObject', { s3Key: 'old/sub/2.txt', s3Body: 'x' });
  await run('putObject', { s3Key: 'older.txt', s3Body: 'x' });
  expect(await awaitOutput(run('getAllFolder', { s3Prefix: 'old' }))).toMatchObject({
    folder: 'old/',
    count: 2,
    objects: [{ key: 'old/1.txt' }, { key: 'old/sub/2.txt' }],
  });
  expect(await awaitOutput(run('deleteFolder', { s3Prefix: 'old/' }))).toEqual({
    success: true,
    bucket: 'drive',
    folder: 'old/',
    deleted_count: 3,
    deleted_keys: ['old/', 'old/1.txt', 'old/sub/2.txt'],
  });
  expect(await awaitOutput(run('getAllFolder', { s3Prefix: 'old' }))).toMatchObject({ count: 0 });
  expect(await awaitOutput(run('getObject', { s3Key: 'older.txt' }))).toMatchObject({ body_text: 'x' });
});

test('a bucket is created, listed, offered to choose and deleted', async () => {
  const s3Bucket = 'orders-2026';
  expect(await awaitOutput(run('createBucket', { s3Bucket }))).toEqual({
    success: true,
    bucket: s3Bucket,
    region: 'us-east-1',
  });
  expect(await awaitOutput(run('listBuckets'))).toMatchObject({
    count: 2,
    buckets: [{ name: 'drive' }, { name: s3Bucket }],
  });
  const choices = implementations.get('s3')?.choices['buckets'];
  const context = {
    caller: { ...callerOfTest(), http: realEgress() },
    config,
  };
  expect(await choices?.(context, { params: {}, search: 'ORD', cursor: null })).toEqual({
    items: [{ value: s3Bucket, label: s3Bucket }],
    next_cursor: null,
  });
  expect(await awaitOutput(run('deleteBucket', { s3Bucket }))).toEqual({ success: true, bucket: s3Bucket });
  expect(await run('deleteBucket', { s3Bucket })).toMatchObject({
    failure: { message: expect.stringContaining('The bucket does not exist') },
  });
});

const callerOfTest = () => ({
  now: () => 0,
  sleepUntil: () => Promise.resolve(),
  signal: new AbortController().signal,
  max_wait_ms: 0,
  idempotency_key: '',
});

test.each([
  ['putObject', { s3Key: '' }, 's3Key'],
  ['putObject', { s3Key: 'a/../b' }, 's3Key'],
  ['deleteFolder', { s3Prefix: ' ' }, 's3Prefix'],
  ['listObjects', { s3Bucket: '' }, 's3Bucket'],
  ['listObjects', { s3MaxKeys: 'many' }, 's3MaxKeys'],
])('%s with %j is refused before anything is sent', async (operation, data, field) => {
  sent.length = 0;
  expect(await run(operation, data)).toMatchObject({ failure: { kind: 'params', field } });
  expect(sent).toEqual([]);
});

test('the connection test names a wrong key, and does not repeat it', async () => {
  const typed = config as Record<string, string>;
  expect(await testConnection('s3', typed, { http: noting() })).toBe('works');
  const wrong = await testConnection(
    's3',
    { ...typed, aws_secret_access_key: 'wrong-secret' },
    { http: noting() },
  );
  expect(wrong).toContain('refused the credential');
  expect(wrong).not.toContain('wrong-secret');
});

test.each([
  ['a bucket of Amazon', {}, 'https://my-bucket.s3.eu-central-1.amazonaws.com/dir/a%20b.txt'],
  [
    'a bucket in the path of an endpoint',
    { endpoint_url: 'https://store.example:9000' },
    'https://store.example:9000/my-bucket/dir/a%20b.txt',
  ],
  [
    'a bucket in the name of an endpoint',
    { endpoint_url: 'https://store.example', path_style: false },
    'https://my-bucket.store.example/dir/a%20b.txt',
  ],
])('the address of %s', async (_, more, address) => {
  const values = {
    aws_access_key_id: 'AKIAEXAMPLE',
    aws_secret_access_key: 'canary-secret',
    aws_session_token: 'session-token',
    aws_region: 'eu-central-1',
    ...more,
  };
  const { result, trace } = await traceNode(
    's3',
    { credentialId: 'c', s3Operation: 'putObject', s3Bucket: 'my-bucket', s3Key: 'dir/a b.txt', s3Body: 'x' },
    { services: { credential: credential(values) }, answer: { headers: { etag: '"e"' }, body: '' } },
  );
  expect(result).toMatchObject({ output: { success: true, etag: '"e"' } });
  const [request] = trace.requests;
  expect(request?.url.split('?')[0]).toBe(address);
  const headers = Object.fromEntries(request?.headers ?? []);
  const scope =
    /^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\/\d{8}\/eu-central-1\/s3\/aws4_request, SignedHeaders=(.*), Signature=[0-9a-f]{64}$/;
  const signed = scope.exec(headers['authorization'] ?? '')?.[1]?.split(';') ?? [];
  expect(signed).toEqual(
    expect.arrayContaining(['host', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token']),
  );
  expect(headers['x-amz-security-token']).toBe('session-token');
  expect(request && signatureProblem(request, 'canary-secret')).toBeUndefined();
  expect(request && signatureProblem(request, 'another')).toBe('the signature does not match');
  expect(JSON.stringify(request)).not.toContain('canary-secret');
});
