import { describe, expect, test } from 'vitest';
import { createTestEnvironment, ECHO } from '../testing/run-environment.ts';
import type { CallRequest } from './admission.ts';
import type { CallerPrincipal, InternalPrincipal } from './principal.ts';
import { writeCached } from './response-cache.ts';

const USER = '00000000-0000-4000-8000-000000000001';
const OWNER = '00000000-0000-4000-8000-000000000002';
const RUN = { run_id: 'r', root_run_id: 'r', depth: 1 };
const INPUT = { headers: {}, query: {}, body: { text: 'hi' } };

const callers: [CallerPrincipal, { run_as: string; source: string; chooses: boolean }][] = [
  [
    { kind: 'user', user_id: USER, has_access: true },
    { run_as: USER, source: 'API', chooses: true },
  ],
  [
    { kind: 'execution_token', user_id: USER, token_id: 't' },
    { run_as: USER, source: 'API', chooses: true },
  ],
  [{ kind: 'header' }, { run_as: OWNER, source: 'API', chooses: true }],
  [{ kind: 'anonymous' }, { run_as: OWNER, source: 'API', chooses: true }],
  [
    { kind: 'mcp_key', user_id: USER, scopes: [] },
    { run_as: USER, source: 'MCP', chooses: false },
  ],
  [
    { kind: 'oauth_grant', user_id: USER, client_id: 'c', scopes: ['mcp'] },
    { run_as: USER, source: 'MCP', chooses: false },
  ],
  [{ kind: 'portal_visitor' }, { run_as: OWNER, source: 'portal', chooses: false }],
];

const internals: [InternalPrincipal, { run_as: string; source: string | null }][] = [
  [
    { kind: 'trigger', node_id: 'n', source: 'cron' },
    { run_as: OWNER, source: 'cron' },
  ],
  [
    { kind: 'trigger', node_id: 'n', source: null },
    { run_as: OWNER, source: null },
  ],
  [
    { kind: 'parent_run', cause: 'sub_workflow', run_as: USER, run: RUN },
    { run_as: USER, source: 'SUB_WORKFLOW' },
  ],
  [
    { kind: 'parent_run', cause: 'agent', run_as: USER, run: RUN },
    { run_as: USER, source: 'AI Agents' },
  ],
  [
    { kind: 'parent_run', cause: 'error_workflow', run_as: USER, run: RUN },
    { run_as: USER, source: 'error_workflow' },
  ],
];

const EMPTY = { nodes: [], edges: [] };

describe('calls', () => {
  for (const [principal, { run_as, source, chooses }] of callers) {
    test(`of ${principal.kind} are attributed, labelled and limited (§5.2 rule 6, §6.3, §8.1)`, async () => {
      const environment = createTestEnvironment();
      const rate_limit = { requests: 1, window_seconds: 60 };
      // A portal has a limit of its own.
      const limits = principal.kind === 'portal_visitor' ? { portal_rate_limit: rate_limit } : { rate_limit };
      const workflow = environment.publish(ECHO, { owner_id: OWNER, ...limits });
      const request: CallRequest = { workflow, principal, input: INPUT, client: { ip: '192.0.2.1' } };
      const first = await environment.admit.call(request);
      expect(first).toMatchObject({ kind: 'run', run_as, trigger_source: source, input: INPUT });
      expect(await environment.admit.call(request)).toMatchObject({ kind: 'rate_limited' });
      expect(
        await environment.admit.call({ ...request, client: { ip: '192.0.2.2', trigger_source: 'mine' } }),
      ).toMatchObject({ kind: 'run', trigger_source: chooses ? 'mine' : source });
    });
  }

  test('of a workflow without nodes are refused, and no failed run is kept', async () => {
    const environment = createTestEnvironment();
    const workflow = environment.publish(EMPTY);
    const call = environment.admit.call({
      workflow,
      principal: { kind: 'anonymous' },
      input: INPUT,
      client: { ip: '192.0.2.1' },
    });
    await expect(call).rejects.toMatchObject({ code: 'bad_request' });
    expect(environment.journal.runs.size).toBe(0);
  });

  test('only users with access may bypass the cached response', async () => {
    const environment = createTestEnvironment();
    const workflow = environment.publish(ECHO, { cache_ttl_seconds: 60 });
    const ask = (principal: CallerPrincipal, fresh: boolean) =>
      environment.admit.call({ workflow, principal, input: INPUT, client: { ip: '192.0.2.1', fresh } });
    const first = await ask({ kind: 'anonymous' }, false);
    const { graph_hash } = workflow.version;
    const answer = { outputs: {}, shape: 'labels', graph_hash } as const;
    const key = first.kind === 'run' ? (first.cache_key ?? '') : '';
    await writeCached(environment.shared_store, { key, ttl_seconds: 60, answer });
    expect(await ask({ kind: 'anonymous' }, false)).toMatchObject({ kind: 'cached' });
    expect(await ask({ kind: 'anonymous' }, true)).toMatchObject({ kind: 'cached' });
    expect(await ask({ kind: 'user', user_id: USER, has_access: true }, true)).toMatchObject({ kind: 'run' });
  });

  test('keys of different people do not meet', async () => {
    const environment = createTestEnvironment();
    const workflow = environment.publish(ECHO);
    const getIdempotencyKey = async (principal: CallerPrincipal) => {
      const client = { ip: '192.0.2.1', idempotency_key: 'k' };
      const admitted = await environment.admit.call({ workflow, principal, input: INPUT, client });
      return admitted.kind === 'run' ? admitted.idempotency?.key : undefined;
    };
    expect(await getIdempotencyKey({ kind: 'anonymous' })).toBe('http:anonymous:k');
    expect(await getIdempotencyKey({ kind: 'user', user_id: USER, has_access: true })).toBe(`http:${USER}:k`);
  });
});

describe('runs from inside', () => {
  for (const [principal, { run_as, source }] of internals) {
    test(`of ${principal.kind} with the label ${source} are attributed and not limited`, async () => {
      const environment = createTestEnvironment();
      const rate_limit = { requests: 1, window_seconds: 60 };
      const workflow = environment.publish(ECHO, { owner_id: OWNER, rate_limit, cache_ttl_seconds: 60 });
      for (let times = 0; times < 3; times++) {
        const admitted = await environment.admit.internal({ workflow, principal, input: { x: 1 } });
        expect(admitted).toMatchObject({ run_as, trigger_source: source, input: { x: 1 } });
        expect(admitted).toMatchObject({ cache_key: undefined, limit: undefined });
      }
    });
  }

  test('need access when another run starts them (§5.8)', async () => {
    const environment = createTestEnvironment();
    const workflow = environment.publish(ECHO);
    environment.hidden.add(workflow.settings.id);
    const admit = async (principal: InternalPrincipal) =>
      environment.admit.internal({ workflow, principal, input: {} });
    const child = admit({ kind: 'parent_run', cause: 'sub_workflow', run_as: USER, run: RUN });
    await expect(child).rejects.toMatchObject({ code: 'not_found' });
    await expect(admit({ kind: 'trigger', node_id: 'n', source: 'cron' })).resolves.toMatchObject({
      kind: 'run',
    });
  });
});
