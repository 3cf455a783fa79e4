import { shareTestApp, type TestApp, type TestUser } from '@millrace/server/testing';
import { refusingService } from './refusing-service.ts';

/** Ways to stand towards an object (§5.8), and the two callers that have no session at all. */
export const PERSONAS = [
  'owner',
  'direct',
  'team',
  'both',
  'former',
  'stranger',
  'anonymous',
  'token',
] as const;
export type Persona = (typeof PERSONAS)[number];

/** Kinds of objects that an address can name. */
export type Kind =
  | 'workflow'
  | 'credential'
  | 'global_variable'
  | 'vector_store'
  | 'folder'
  | 'file'
  | 'team'
  | 'workflow_template'
  | 'node_template'
  | 'data_table'
  | 'board'
  | 'replay_job'
  | 'trace'
  | 'chat'
  | 'eval_suite'
  | 'eval_run'
  | 'mcp_server'
  | 'alert'
  | 'skill'
  | 'session';

/** Whether a kind can be shared with people, and whether with teams. */
export const SHARING: Record<Kind, { direct: boolean; team: boolean }> = {
  workflow: { direct: true, team: true },
  credential: { direct: true, team: true },
  global_variable: { direct: true, team: true },
  vector_store: { direct: true, team: true },
  workflow_template: { direct: true, team: true },
  node_template: { direct: true, team: true },
  file: { direct: false, team: true },
  team: { direct: false, team: true },
  folder: { direct: false, team: false },
  data_table: { direct: true, team: true },
  board: { direct: true, team: true },
  replay_job: { direct: false, team: false },
  trace: { direct: false, team: false },
  chat: { direct: false, team: false },
  eval_suite: { direct: false, team: false },
  eval_run: { direct: false, team: false },
  mcp_server: { direct: false, team: false },
  alert: { direct: false, team: false },
  skill: { direct: true, team: true },
  session: { direct: false, team: false },
};

type SignedIn = Exclude<Persona, 'anonymous' | 'token'>;

export interface World {
  readonly app: TestApp;
  readonly users: Record<SignedIn, TestUser>;
  /** A user to share things with who makes no requests. */
  readonly newcomer: TestUser;
  /** Team of the owner with `team` and `both` in it; `former` was in it. */
  readonly team_id: string;
  /** Execution token of another workflow of the owner. */
  readonly execution_token: string;
  /** A fresh object of the user, shared in every way that its kind has. */
  make(kind: Kind, user?: TestUser): Promise<string>;
  call(persona: Persona, method: string, url: string, body?: unknown): ReturnType<TestUser['call']>;
}

const PASSWORD = 'Passw0rd!';
let counter = 0;
const unique = (text: string) => `${text} ${++counter}`;

const NODES = [
  { id: 'in', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'in' } },
  { id: 'out', type: 'output', position: { x: 1, y: 0 }, data: { label: 'out', message: 'done' } },
];
const EDGES = [{ id: 'e', source: 'in', target: 'out' }];

async function created(user: TestUser, url: string, body: unknown): Promise<string> {
  const answer = await user.call('POST', url, body);
  if (answer.statusCode >= 300) throw new Error(`POST ${url} answered ${answer.statusCode}: ${answer.body}`);
  return answer.json<{ id: string }>().id;
}

async function upload(user: TestUser): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob(['content']), `${unique('file')}.txt`);
  const request = new Request('http://localhost', { method: 'POST', body: form });
  const answer = await user.call('POST', '/api/files/upload', Buffer.from(await request.arrayBuffer()), {
    'content-type': request.headers.get('content-type') ?? '',
  });
  return answer.json<{ id: string }>().id;
}

async function session(app: TestApp, user: TestUser): Promise<string> {
  const ids = async () =>
    (await user.call('GET', '/api/auth/sessions')).json<{ id: string }[]>().map((row) => row.id);
  const before = new Set(await ids());
  counter += 1;
  const headers = { 'x-test-ip': `172.16.${(counter >> 8) & 255}.${counter & 255}` };
  await app.call('POST', '/api/auth/login', { email: user.email, password: PASSWORD }, headers);
  const made = (await ids()).find((id) => !before.has(id));
  if (!made) throw new Error('signing in made no session');
  return made;
}

const PATHS: Partial<Record<Kind, string>> = {
  workflow: '/api/workflows',
  credential: '/api/credentials',
  global_variable: '/api/global-variables',
  vector_store: '/api/vector-stores',
  data_table: '/api/data-tables',
  board: '/api/boards',
  skill: '/api/skills',
};

async function alert(user: TestUser, name: string): Promise<string> {
  const workflow_id = await created(user, '/api/workflows', { name, nodes: NODES, edges: EDGES });
  return created(user, '/api/alerts', {
    name,
    workflow_id,
    target_workflow_id: workflow_id,
    kind: 'silence',
    window_minutes: 60,
  });
}

async function makeBare(app: TestApp, kind: Kind, user: TestUser): Promise<string> {
  const name = unique(kind);
  switch (kind) {
    case 'workflow':
      return created(user, '/api/workflows', { name, nodes: NODES, edges: EDGES });
    case 'credential':
      return created(user, '/api/credentials', {
        name,
        type: 'qdrant',
        config: {
          qdrant_host: refusingService.host,
          qdrant_port: refusingService.port,
          openai_api_key: 'sk-0123456789',
        },
      });
    case 'global_variable':
      return created(user, '/api/global-variables', { name, value: 1 });
    case 'vector_store': {
      const credential_id = await makeBare(app, 'credential', user);
      return created(user, '/api/vector-stores', { name, credential_id });
    }
    case 'folder':
      return created(user, '/folders', { name });
    case 'file':
      return upload(user);
    case 'team':
      return created(user, '/api/teams', { name });
    case 'workflow_template':
      return created(user, '/api/templates', {
        kind: 'workflow',
        workflow: { name, nodes: NODES, edges: EDGES, visibility: 'specific_users' },
      });
    case 'node_template':
      return created(user, '/api/templates', {
        kind: 'node',
        node: { name, node_type: 'set', node_data: {}, visibility: 'specific_users' },
      });
    case 'data_table':
      return created(user, '/api/data-tables', { name, columns: [{ name: 'city' }] });
    case 'board':
      return created(user, '/api/boards', { name });
    case 'replay_job':
      return replayJob(app, user);
    case 'trace':
      return trace(app, user);
    case 'chat':
      return created(user, '/api/chats', {});
    case 'eval_suite':
      return evalSuite(user);
    case 'eval_run':
      return evalRun(app, user);
    case 'mcp_server':
      return created(user, '/api/mcp/servers', { name });
    case 'alert':
      return alert(user, name);
    case 'skill':
      return created(user, '/api/skills', { name });
    case 'session':
      return session(app, user);
    default: {
      const unknown: never = kind;
      return unknown;
    }
  }
}

/** A person has at most 20 that have not ended, so those before it end. */
async function replayJob(app: TestApp, user: TestUser): Promise<string> {
  await app.services.database.sql.query({
    text: `UPDATE replay_jobs SET state = 'cancelled', finished_at = now() WHERE requested_by = $1 AND finished_at IS NULL`,
    values: [user.id],
  });
  return created(user, '/api/replays', { execution_ids: [crypto.randomUUID()] });
}

/** Of a call that no model has answered, since none can be reached here. */
async function trace(app: TestApp, user: TestUser): Promise<string> {
  const call = {
    request_type: 'chat' as const,
    model: 'm',
    request: { messages: [] },
    response: null,
    error: 'refused',
    usage: null,
    started_at_ms: app.clock.now,
    elapsed_ms: 1,
  };
  app.services.traces.note(call, { user_id: user.id, source: 'dashboard_chat', credential: null });
  await app.services.traces.flush();
  const newest = await user.call('GET', '/api/traces?limit=1');
  return newest.json<{ items: { id: string }[] }>().items[0]?.id ?? '';
}

/** With a test case, so that it can be run. */
async function evalSuite(user: TestUser): Promise<string> {
  const id = await created(user, '/api/evals/suites', { name: unique('suite') });
  await created(user, `/api/evals/suites/${id}/test-cases`, { input: 'x', expected_output: 'y' });
  return id;
}

/** A person has at most five that have not ended, so those before it end. No process works on them here. */
async function evalRun(app: TestApp, user: TestUser): Promise<string> {
  await app.services.database.sql.query({
    text: `UPDATE eval_runs SET status = 'cancelled', finished_at = now() WHERE owner_id = $1 AND finished_at IS NULL`,
    values: [user.id],
  });
  const model = { type: 'openai', config: { api_key: 'sk-0123456789' } };
  const credential_id = await created(user, '/api/credentials', { name: unique('model'), ...model });
  const suite_id = await evalSuite(user);
  return created(user, `/api/evals/suites/${suite_id}/run`, { credential_id, models: ['m'] });
}

interface Sharing {
  readonly users: Record<SignedIn, TestUser>;
  readonly team_id: string;
}

async function share(kind: Kind, id: string, { users, team_id }: Sharing): Promise<void> {
  const { owner, direct, both, former, team } = users;
  const path = PATHS[kind];
  if (path) {
    for (const { email } of [direct, both, former])
      await owner.call('POST', `${path}/${id}/shares`, { email });
    await owner.call('DELETE', `${path}/${id}/shares/${former.id}`);
    await owner.call('POST', `${path}/${id}/team-shares`, { team_id });
  }
  if (kind === 'file') await owner.call('PATCH', `/api/files/${id}/team-sharing`, { enabled: true });
  if (kind === 'team') {
    for (const { email } of [team, both, former])
      await owner.call('POST', `/api/teams/${id}/members`, { email });
    await owner.call('DELETE', `/api/teams/${id}/members/${former.id}`);
  }
  if (kind === 'workflow_template' || kind === 'node_template') {
    const url = `/api/templates/${kind === 'node_template' ? 'node' : 'workflow'}/${id}`;
    const shared_with = [direct.email, both.email];
    await owner.call('PATCH', url, {
      shared_with: [...shared_with, former.email],
      shared_with_teams: [team_id],
    });
    await owner.call('PATCH', url, { shared_with });
  }
}

/** People in every relation to the objects of one owner. The first account, the administrator, is none of them. */
export async function createWorld(): Promise<World> {
  const app = await shareTestApp({ HTTP_ALLOW_PRIVATE_URLS: 'true' });
  await app.user('Administrator');
  const users: Record<SignedIn, TestUser> = {
    owner: await app.user('Owner'),
    direct: await app.user('Direct'),
    team: await app.user('Team'),
    both: await app.user('Both'),
    former: await app.user('Former'),
    stranger: await app.user('Stranger'),
  };
  const newcomer = await app.user('Newcomer');
  const team_id = await makeBare(app, 'team', users.owner);
  await share('team', team_id, { users, team_id });
  const other = await makeBare(app, 'workflow', users.owner);
  const issued = await users.owner.call('POST', `/api/workflows/${other}/execution-tokens`, {
    ttl_seconds: 3600,
  });
  const execution_token = issued.json<{ token: string }>().token;

  return {
    app,
    users,
    newcomer,
    team_id,
    execution_token,
    async make(kind, user = users.owner) {
      const id = await makeBare(app, kind, user);
      if (user === users.owner) await share(kind, id, { users, team_id });
      return id;
    },
    call(persona, method, url, body) {
      if (persona === 'anonymous') return app.call(method, url, body);
      if (persona === 'token') {
        return app.call(method, url, body, { authorization: `Bearer ${execution_token}` });
      }
      return users[persona].call(method, url, body);
    },
  };
}
