import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { createApp } from '../startup/app.ts';
import { createTestApp, testConfig } from '../testing/test-app.ts';
import { startTelemetry } from './telemetry.ts';

test('nothing is loaded or sent without an endpoint', async () => {
  expect(await startTelemetry(testConfig())).toBeUndefined();
  const off = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_SDK_DISABLED: 'true' };
  expect(await startTelemetry(readConfig(off))).toBeUndefined();
});

test('a request becomes a span that is named by its route and sent to the endpoint', async () => {
  const received: string[] = [];
  const collector = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      received.push(`${request.url} ${Buffer.concat(parts).toString()}`);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = endpoint;
  process.env['OTEL_RESOURCE_ATTRIBUTES'] = 'deployment.environment=staging';
  const telemetry = await startTelemetry(testConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }));
  const { services, close } = await createTestApp();
  const app = await createApp({ services, telemetry });
  await app.inject({ method: 'GET', url: '/api/workflows/0d6c1c9e-6a0e-4b4e-9f6a-1c2f0f6f0a11' });
  await app.close();
  await telemetry?.stop();
  await close();
  collector.close();
  delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  delete process.env['OTEL_RESOURCE_ATTRIBUTES'];
  expect(received.join('\n')).toContain('/v1/traces');
  expect(received.join('\n')).toContain('GET /api/workflows/:id');
  expect(received.join('\n')).not.toContain('0d6c1c9e');
  // Who sent it: the name from the settings, and what the standard variable adds.
  expect(received.join('\n')).toContain('{"key":"service.name","value":{"stringValue":"millrace"}}');
  expect(received.join('\n')).toContain('{"key":"deployment.environment","value":{"stringValue":"staging"}}');
});
