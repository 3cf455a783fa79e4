import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { installNotFound } from './errors.ts';
import { installWebApp, isPageRequest } from './web-app.ts';

let parent: string;
let app: FastifyInstance;
let routes: number;

beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'millrace-web-'));
  const folder = join(parent, 'dist');
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(parent, 'secret.js'), 'secret');
  writeFileSync(join(folder, 'index.html'), '<p>app');
  writeFileSync(join(folder, 'chat.html'), '<p>chat');
  writeFileSync(join(folder, 'theme.js'), 'theme');
  for (let number = 0; number < 50; number++)
    writeFileSync(join(folder, 'assets', `part-${number}.js`), `part ${number}`);
  writeFileSync(join(folder, 'assets', 'part-7.js.gz'), 'compressed');
  app = Fastify();
  routes = 0;
  app.addHook('onRoute', () => {
    routes += 1;
  });
  const page = await installWebApp(app, () => Promise.resolve([]), folder);
  installNotFound(app, { isPage: isPageRequest, page, listVerbs: () => [] });
});
afterEach(async () => {
  await app.close();
  rmSync(parent, { recursive: true, force: true });
});

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

test('hashed files are kept for ever, compressed where the client takes it, and the page never', async () => {
  const part = await get('/assets/part-7.js');
  expect(part.body).toBe('part 7');
  expect(part.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  const compressed = await get('/assets/part-7.js', { 'accept-encoding': 'gzip' });
  expect([compressed.body, compressed.headers['content-encoding']]).toEqual(['compressed', 'gzip']);
  for (const url of ['/', '/theme.js', '/index.html'])
    expect((await get(url)).headers['cache-control']).toBe('no-cache');
  expect((await get('/theme.js')).body).toBe('theme');
});

test('deep links get the page; files that are not there and paths out of the folder do not', async () => {
  const page = { accept: 'text/html' };
  expect((await get('/workflows/1', page)).body).toBe('<p>app');
  expect((await get('/chat/help', page)).body).toBe('<p>chat');
  expect((await get('/assets/gone.js', page)).statusCode).toBe(404);
  for (const url of ['/..%2fsecret.js', '/assets/..%2f..%2fsecret.js', '/assets/%2e%2e%2f%2e%2e%2fsecret.js'])
    expect((await get(url)).statusCode).toBe(404);
});

test('a file more makes no route more', () => {
  expect(routes).toBeLessThan(20);
});
