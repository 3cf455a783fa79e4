import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { SMTPServer } from 'smtp-server';
import { expect } from 'vitest';
import type { SmokeCases } from '../smoke-case.ts';

const port = (url: URL, usual: number): number => Number(url.port || usual);

const postgresUrl = new URL(
  process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres',
);
const mysqlUrl = new URL(process.env['TEST_MYSQL_URL'] ?? 'mysql://root@127.0.0.1:3306/test');
const redisUrl = new URL(process.env['TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379');

const databaseAt = (url: URL, usual: number) => ({
  host: url.hostname,
  port: port(url, usual),
  database: url.pathname.slice(1),
  username: decodeURIComponent(url.username),
  password: decodeURIComponent(url.password),
  use_tls: false,
});

/** Servers that the cases need beside those that they start. */
export const STORE_SERVERS: Readonly<Record<string, { host: string; port: number }>> = {
  postgres: { host: postgresUrl.hostname, port: port(postgresUrl, 5432) },
  mysql: { host: mysqlUrl.hostname, port: port(mysqlUrl, 3306) },
  redis: { host: redisUrl.hostname, port: port(redisUrl, 6379) },
  rabbitmq: { host: '127.0.0.1', port: 5672 },
};

/** Databases, files and mail: real servers of the protocol. */
export const storeCases: SmokeCases = {
  async postgres({ store, runNode }) {
    const credentialId = await store('postgres', databaseAt(postgresUrl, 5432));
    const data = {
      credentialId,
      operation: 'executeQuery',
      query: 'SELECT $1::int + 1 AS n',
      queryParameters: '[41]',
    };
    expect(await runNode('postgres', data)).toMatchObject({ success: true, rows: [{ n: 42 }], count: 1 });
  },
  async mysql({ store, runNode }) {
    const credentialId = await store('mysql', databaseAt(mysqlUrl, 3306));
    const data = {
      credentialId,
      operation: 'executeQuery',
      query: 'SELECT ? AS name',
      queryParameters: '["Ada"]',
    };
    expect(await runNode('mysql', data)).toMatchObject({ success: true, rows: [{ name: 'Ada' }], count: 1 });
  },
  async redis({ store, runNode }) {
    const credentialId = await store('redis', {
      redis_host: redisUrl.hostname,
      redis_port: port(redisUrl, 6379),
    });
    const redisKey = `smoke-${randomUUID()}`;
    const set = { credentialId, redisOperation: 'set', redisKey, redisValue: 'kept', redisTtl: 60 };
    expect(await runNode('redis', set)).toEqual({ success: true, key: redisKey, ttl: 60 });
    const get = { credentialId, redisOperation: 'get', redisKey };
    expect(await runNode('redis', get)).toEqual({ value: 'kept', exists: true, key: redisKey });
  },
  async s3({ store, runNode }) {
    const directory = mkdtempSync(join(tmpdir(), 'millrace-smoke-s3-'));
    const configureBuckets = [{ name: 'drive', configs: [] }];
    const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets });
    const address = await server.run();
    try {
      const credentialId = await store('s3', {
        endpoint_url: `http://127.0.0.1:${address.port}`,
        aws_region: 'us-east-1',
        aws_access_key_id: 'S3RVER',
        aws_secret_access_key: 'S3RVER',
      });
      const object = { credentialId, s3Bucket: 'drive', s3Key: 'a/Grüße.txt' };
      await runNode('s3', {
        ...object,
        s3Operation: 'putObject',
        s3Body: 'Hällo',
        s3ContentType: 'text/plain',
      });
      expect(await runNode('s3', { ...object, s3Operation: 'getObject' })).toMatchObject({
        success: true,
        body_text: 'Hällo',
      });
    } finally {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    }
  },
  async sendEmail({ store, runNode }) {
    const mails: string[] = [];
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData(stream, _session, done) {
        let text = '';
        stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        stream.on('end', () => {
          mails.push(text);
          done();
        });
      },
    });
    const listening = server.listen(0, '127.0.0.1');
    await new Promise<void>((resolve) => listening.once('listening', resolve));
    try {
      const at = listening.address();
      if (at === null || typeof at === 'string') throw new Error('the mail server has no port');
      const config = {
        smtp_host: '127.0.0.1',
        smtp_port: at.port,
        smtp_from: 'shop@example.com',
        smtp_use_tls: false,
      };
      const credentialId = await store('smtp', config);
      const data = { credentialId, to: 'ada@example.com', subject: 'Order 7', emailBody: '$input.text' };
      const output = await runNode('sendEmail', data, { text: 'On its way' });
      expect(output).toMatchObject({ status: 'sent', subject: 'Order 7' });
      expect(mails).toHaveLength(1);
      expect(mails[0]).toContain('On its way');
    } finally {
      await new Promise<void>((resolve) => server.close(() => resolve()));
    }
  },
  async dataTable({ ask, runNode }) {
    const { id: dataTableId } = await ask<{ id: string }>('POST', '/api/data-tables', {
      name: 'People',
      columns: [{ name: 'name' }],
    });
    const insert = { dataTableId, dataTableOperation: 'insert', dataTableData: '{"name": "$input.name"}' };
    await runNode('dataTable', insert, { name: 'Ada' });
    const found = await runNode('dataTable', {
      dataTableId,
      dataTableOperation: 'find',
      dataTableFilter: '{"name": "Ada"}',
    });
    expect(found).toMatchObject({ success: true, count: 1, rows: [{ data: { name: 'Ada' } }] });
  },
  async drive({ runNode, ask }) {
    const saved = await runNode('drive', {
      driveOperation: 'save',
      driveBase64Content: 'SGVsbG8=',
      driveFilename: 'hello.txt',
    });
    expect(saved).toMatchObject({ status: 'success', filename: 'hello.txt', size_bytes: 5 });
    const { id } = saved as { id: string };
    expect(await ask('GET', `/api/files/${id}`)).toMatchObject({ filename: 'hello.txt', size_bytes: 5 });
  },
  async platform({ runNode }) {
    const output = await runNode('platform', { heymOperation: 'listWorkflows', heymLimit: '100' });
    const { workflows, total } = output as { workflows: unknown[]; total: number };
    expect(total).toBeGreaterThan(0);
    expect(workflows).toHaveLength(Math.min(total, 100));
  },
  async code({ runNode }) {
    const data = {
      codeSource: 'def main(params):\n    return params["n"] * 2\n',
      codeParameters: '{"n": "$input.n"}',
    };
    expect(await runNode('code', data, { n: 21 })).toMatchObject({ result: 42 });
  },
};
