import { readFileSync } from 'node:fs';
import { createTestApp, createWorkflow, graph, type TestApp } from '@millrace/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listScenarios, runScenario, type Subject, withHeaders } from '../support/conformance/suite.ts';

const DOCUMENT = readFileSync(new URL('../../docs/mcp-conformance.md', import.meta.url), 'utf8');

interface Row {
  readonly side: string;
  readonly scenario: string;
  readonly result: string;
  readonly reason: string;
}

/** The tables of the document, which say of every scenario whether it passes or why it does not apply. */
const ROWS: readonly Row[] = DOCUMENT.split('\n').flatMap((line) => {
  const found =
    /^\| (server|client) \| `([^`]+)` \| (passes|does not apply|not supported) \| (.*?) ?\|$/.exec(line);
  if (!found) return [];
  const [, side = '', scenario = '', result = '', reason = ''] = found;
  return [{ side, scenario, result, reason }];
});

let app: TestApp;
let proxy: { url: string; close: () => void };
let service: Subject['service'];
beforeAll(async () => {
  app = await createTestApp({ env: { HTTP_ALLOW_PRIVATE_URLS: 'true', ACCESS_TOKEN_MINUTES: '1000' } });
  app.clock.now = Date.now();
  const base = await app.listen();
  const user = await app.user();
  service = { base, access_token: user.access_token };
  const { mcp_api_key } = (await user.call('POST', '/api/mcp/regenerate-key')).json<{
    mcp_api_key: string;
  }>();
  const offer = (name: string, made: ReturnType<typeof graph>) =>
    createWorkflow(user, made, { name, mcp_enabled: true });
  const message = 'This is a simple text response for testing.';
  await offer(
    'test_simple_text',
    graph(
      [
        ['start', 'cron'],
        ['out', 'output', { message }],
      ],
      ['start>out'],
    ),
  );
  await offer(
    'test_error_handling',
    graph(
      [
        ['start', 'cron'],
        ['fail', 'throwError', { errorMessage: 'This tool intentionally returns an error for testing' }],
      ],
      ['start>fail'],
    ),
  );
  await offer(
    'test_tool_with_progress',
    graph(
      [
        ['start', 'cron'],
        ['one', 'wait', { duration: 50 }],
        ['two', 'wait', { duration: 50 }],
        ['out', 'output', { message: 'done' }],
      ],
      ['start>one', 'one>two', 'two>out'],
    ),
  );
  const workflow = { name: 'test_simple_prompt', ...graph([['start', 'cron']], []) };
  await user.call('POST', '/api/templates', { kind: 'workflow', workflow });
  proxy = await withHeaders(`${base}/api/mcp`, { 'x-mcp-key': mcp_api_key });
}, 60_000);
afterAll(async () => {
  proxy.close();
  app.app.server.closeAllConnections();
  await app.close();
});

describe('§5.6 official conformance suite', () => {
  it('the document decides about every scenario of the installed suite, each once', async () => {
    const listed = ROWS.map(({ side, scenario }) => `${side} ${scenario}`);
    expect(listed.toSorted()).toEqual((await listScenarios()).toSorted());
    expect(ROWS.filter(({ result, reason }) => result !== 'passes' && reason.length < 20)).toEqual([]);
  }, 60_000);

  const applying = ROWS.filter(({ result }) => result === 'passes');
  it.each(applying.map(({ side, scenario }) => [side, scenario] as const))(
    '%s: %s',
    async (side, scenario) => {
      const checks = await runScenario(side, scenario, { url: proxy.url, service });
      expect(checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')).toEqual([]);
      expect(checks.some(({ status }) => status === 'SUCCESS')).toBe(true);
    },
    90_000,
  );
});
