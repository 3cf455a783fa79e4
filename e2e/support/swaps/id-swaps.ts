import { type McpTestServer, startMcpServer } from '@millrace/nodes/testing/mcp-server';
import type { TestUser } from '@millrace/server/testing';
import type { World } from '../matrix-world.ts';
import { refusingService } from '../refusing-service.ts';
import { alertSwaps } from './alert-swaps.ts';
import { boardSwaps } from './board-swaps.ts';
import { calledRunSwaps } from './called-run-swaps.ts';
import { chatSwaps } from './chat-swaps.ts';
import { evalSwaps } from './eval-swaps.ts';
import { inboxSwaps } from './inbox-swaps.ts';
import { portalSwaps } from './portal-swaps.ts';
import { type Answered, asOwner, filtered, type IdSwap, idIn, object } from './swap.ts';
import { traceSwaps } from './trace-swaps.ts';

async function run(world: World, user: TestUser): Promise<{ workflow_id: string; run_id: string }> {
  const workflow_id = await world.make('workflow', user);
  await user.call('POST', `/api/workflows/${workflow_id}/execute`, { text: 'x' });
  const list = (await user.call('GET', `/api/workflows/${workflow_id}/history`)).json<{
    items: { id: string }[];
  }>();
  return { workflow_id, run_id: list.items[0]?.id ?? '' };
}

/** A run that another one is a replay of. */
async function replayedRun(world: World, user: TestUser): Promise<string> {
  const { workflow_id, run_id } = await run(world, user);
  await user.call('POST', `/api/workflows/${workflow_id}/executions/${run_id}/replay`, { from: 'start' });
  return run_id;
}

async function formerVersion(user: TestUser, workflow_id: string): Promise<string> {
  await user.call('PUT', `/api/workflows/${workflow_id}`, { name: `renamed ${Math.random()}` });
  const list = (await user.call('GET', `/api/workflows/${workflow_id}/versions`)).json<{ id: string }[]>();
  return list[0]?.id ?? '';
}

/** A file that a workflow of the same person has made; no endpoint makes one yet. */
async function workflowOfFile(world: World, user: TestUser): Promise<string> {
  const [file, workflow] = [await world.make('file', user), await world.make('workflow', user)];
  await world.app.services.database.sql.query({
    text: 'UPDATE files SET workflow_id = $1 WHERE id = $2',
    values: [workflow, file],
  });
  return workflow;
}

const analytics = (what: 'stats' | 'metrics'): IdSwap => ({
  make: object('workflow'),
  send: (world, id) => asOwner(world, ['GET', `/api/analytics/${what}?workflow_id=${id}`]),
  verdict: 'refused',
});

const sharing = (path: string, kind: Parameters<World['make']>[0]): IdSwap => ({
  make: object('team'),
  send: async (world, team_id) =>
    asOwner(world, ['POST', `${path}/${await world.make(kind)}/team-shares`, { team_id }]),
  verdict: 'refused',
});

const unsharing = (path: string, kind: Parameters<World['make']>[0]): IdSwap => ({
  make: object('team'),
  send: async (world, team_id) => {
    const shares = `${path}/${await world.make(kind)}/team-shares`;
    await asOwner(world, ['POST', shares, { team_id }]);
    return asOwner(world, ['DELETE', shares, { team_id }]);
  },
  verdict: 'refused',
});

const bulk = (action: string, more: object = {}): IdSwap => ({
  make: object('file'),
  send: (world, id) => asOwner(world, ['POST', `/api/files/${action}/bulk`, { file_ids: [id], ...more }]),
  verdict: 'untouched',
  read: (id) => `/api/files/${id}`,
});

const template = (kind: 'workflow' | 'node', settings: object) => ({
  kind,
  [kind]: {
    name: 'new',
    ...(kind === 'node' ? { node_type: 'set', node_data: {} } : { nodes: [] }),
    ...settings,
  },
});

const newTemplate = (kind: 'workflow' | 'node'): IdSwap => ({
  make: object('team'),
  send: (world, id) =>
    asOwner(world, ['POST', '/api/templates', template(kind, { shared_with_teams: [id] })]),
  verdict: 'refused',
});

const changedTemplate = (kind: 'workflow' | 'node'): IdSwap => ({
  make: object('team'),
  send: async (world, id) => {
    const url = `/api/templates/${kind}/${await world.make(`${kind}_template`)}`;
    return asOwner(world, ['PATCH', url, { shared_with_teams: [id] }]);
  },
  verdict: 'refused',
});

/** An id that is no column of the table at hand makes a new column, with an id of its own. */
const columnsOfOthers = (method: 'POST' | 'PUT', buildUrl: (world: World) => Promise<string>): IdSwap => ({
  make: async (world, user) => {
    const table = await user.call('GET', `/api/data-tables/${await world.make('data_table', user)}`);
    return table.json<{ columns: { id: string }[] }>().columns[0]?.id ?? '';
  },
  send: async (world, id) => {
    const body = { name: `t ${Math.random()}`, columns: [{ id, name: 'street' }] };
    return asOwner(world, [method, await buildUrl(world), body]);
  },
  verdict: 'nothing',
});

/** The row of a table as `{table}/rows/{row}`: sent to its own table when that is the caller's, else to one of theirs. */
const rowsOfOthers = (action: string, body: (row_id: string) => unknown): IdSwap => ({
  make: async (world, user) => {
    const table_id = await world.make('data_table', user);
    const answer = await user.call('POST', `/api/data-tables/${table_id}/rows`, { data: { city: 'Kiel' } });
    return `${table_id}/rows/${idIn(answer)}`;
  },
  send: async (world, place) => {
    const [its = '', , row = ''] = place.split('/');
    const mine = (await world.users.owner.call('GET', `/api/data-tables/${its}`)).statusCode === 200;
    const table_id = mine ? its : await world.make('data_table');
    return asOwner(world, ['POST', `/api/data-tables/${table_id}/rows/${action}`, body(row)]);
  },
  verdict: 'untouched',
  read: (place) => `/api/data-tables/${place}`,
});

const inFolder = (send: IdSwap['send']): IdSwap => ({ make: object('folder'), send, verdict: 'refused' });

async function routerWith(world: World, change: object): Promise<Answered> {
  const create = async (type: string, config: object) =>
    idIn(
      await world.users.owner.call('POST', '/api/credentials', { name: `r ${Math.random()}`, type, config }),
    );
  const model = await create('openai', { api_key: 'sk-0123456789' });
  const config = {
    decision_credential_id: await create('decision', { base_url: refusingService.url }),
    decision_model: 'm',
    options: ['a', 'b'].map((label) => ({ label, credential_id: model, model: 'm' })),
    ...change,
  };
  const body = { name: `router ${Math.random()}`, type: 'model_router', config };
  return asOwner(world, ['POST', '/api/credentials', body]);
}

const createCredentialFactory =
  (type: string, config: object): IdSwap['make'] =>
  async (_world, user) =>
    idIn(await user.call('POST', '/api/credentials', { name: `c ${Math.random()}`, type, config }));

/** With the words of all assistants; each takes its own. */
const TURN = { model: 'm', message: 'x', text: 'x' };

const asking = (path: string): IdSwap => ({
  make: createCredentialFactory('custom', { api_key: 'sk-0123456789', base_url: refusingService.url }),
  send: (world, credential_id) => asOwner(world, ['POST', path, { ...TURN, credential_id }]),
  verdict: 'refused',
});

let toolsOfOthers: Promise<McpTestServer> | undefined;
/** One for the whole file; it keeps no process alive. */
const toolServer = () => (toolsOfOthers ??= startMcpServer());

/** By endpoint, place and way to the field. An id field of the contract that has no swap fails the matrix. */
export const idSwaps: Readonly<Record<string, IdSwap>> = {
  'createWorkflow body error_workflow_id': {
    make: object('workflow'),
    send: (world, error_workflow_id) =>
      asOwner(world, ['POST', '/api/workflows', { name: 'new', error_workflow_id }]),
    verdict: 'refused',
  },
  'updateWorkflow body error_workflow_id': {
    make: object('workflow'),
    send: async (world, error_workflow_id) =>
      asOwner(world, ['PUT', `/api/workflows/${await world.make('workflow')}`, { error_workflow_id }]),
    verdict: 'refused',
  },
  'diffWorkflowVersion query compare_to': {
    make: async (world, user) => {
      // Its own version belongs to the very workflow that is asked about, else it could not be compared.
      const workflow_id = await world.make('workflow', user);
      return `${workflow_id}/${await formerVersion(user, workflow_id)}`;
    },
    send: async (world, named) => {
      const [its = '', version = ''] = named.split('/');
      const mine = (await world.users.owner.call('GET', `/api/workflows/${its}`)).statusCode === 200;
      const workflow_id = mine ? its : await world.make('workflow');
      const from = await formerVersion(world.users.owner, workflow_id);
      const url = `/api/workflows/${workflow_id}/versions/${from}/diff?compare_to=${version}`;
      return asOwner(world, ['GET', url]);
    },
    verdict: 'refused',
  },
  'listActiveExecutions query workflow_id': filtered(
    object('workflow'),
    (id) => `/api/workflows/executions/active?workflow_id=${id}`,
  ),
  'listTriggers query workflow_id': filtered(object('workflow'), (id) => `/api/triggers?workflow_id=${id}`),
  // Only a position in the order: regardless of its owner, the list after it contains only own workflows.
  'listWorkflows query before_id': filtered(
    object('workflow'),
    (id) => `/api/workflows?before=${encodeURIComponent(new Date().toISOString())}&before_id=${id}`,
  ),
  'listAllHistory query workflow_id': {
    ...filtered(
      async (world, user) => (await run(world, user)).workflow_id,
      (id) => `/api/workflows/history/all?workflow_id=${id}`,
    ),
    shows: true,
  },
  'listAllHistory query before': filtered(
    async (world, user) => (await run(world, user)).run_id,
    (id) => `/api/workflows/history/all?before=${id}`,
  ),
  'getStats query workflow_id': analytics('stats'),
  'getMetrics query workflow_id': analytics('metrics'),
  'listHistory query before': {
    make: async (world, user) => (await run(world, user)).run_id,
    send: async (world, id) => {
      const { workflow_id } = await run(world, world.users.owner);
      return asOwner(world, ['GET', `/api/workflows/${workflow_id}/history?before=${id}`]);
    },
    verdict: 'nothing',
  },
  'listAllHistory query replay_of': {
    ...filtered(replayedRun, (id) => `/api/workflows/history/all?replay_of=${id}`),
    shows: true,
  },
  'listHistory query replay_of': {
    make: replayedRun,
    send: async (world, id) => {
      const { workflow_id } = await run(world, world.users.owner);
      return asOwner(world, ['GET', `/api/workflows/${workflow_id}/history?replay_of=${id}`]);
    },
    verdict: 'nothing',
  },
  ...calledRunSwaps,
  ...traceSwaps,
  ...inboxSwaps,
  ...alertSwaps,
  ...boardSwaps,
  ...portalSwaps,
  ...chatSwaps,
  ...evalSwaps,
  'evaluateExpression body workflow_id': {
    make: object('workflow'),
    send: (world, workflow_id) => {
      const body = { expression: '1', workflow_id, current_node_id: 'out', node_results: [] };
      return asOwner(world, ['POST', '/api/expressions/evaluate', body]);
    },
    verdict: 'refused',
  },
  'dashboardChat body credential_id': asking('/api/ai/dashboard-chat'),
  'workflowAssistant body credential_id': asking('/api/ai/workflow-assistant'),
  'skillBuilder body credential_id': asking('/api/ai/skill-builder'),
  'fixTranscription body credential_id': { ...asking('/api/ai/fix-transcription'), reached: [503] },
  'testCredential body credential_id': {
    make: object('credential'),
    send: (world, credential_id) =>
      asOwner(world, ['POST', '/api/credentials/test', { type: 'qdrant', credential_id }]),
    verdict: 'refused',
  },
  'startCredentialSignIn body credential_id': {
    make: createCredentialFactory('oauth2', {
      authorization_url: 'http://127.0.0.1:1/a',
      token_url: 'http://127.0.0.1:1/t',
      client_id: 'c',
    }),
    send: (world, credential_id) =>
      asOwner(world, ['POST', '/api/credentials/oauth2/oauth/authorize', { credential_id }]),
    verdict: 'refused',
  },
  'fetchMcpTools body connection.credential_id': {
    make: async (world, user) =>
      createCredentialFactory('mcp', { mcp_url: (await toolServer()).url })(world, user),
    send: (world, credential_id) =>
      asOwner(world, ['POST', '/api/mcp/fetch-tools', { connection: { credential_id } }]),
    verdict: 'refused',
  },
  'inspectMcp body server_id': {
    make: object('mcp_server'),
    send: (world, server_id) =>
      asOwner(world, ['POST', '/api/mcp/inspect', { server_id, method: 'tools/list' }]),
    verdict: 'refused',
  },
  'createCredential body config.decision_credential_id': {
    make: createCredentialFactory('decision', { base_url: refusingService.url }),
    send: (world, decision_credential_id) => routerWith(world, { decision_credential_id }),
    verdict: 'refused',
  },
  'createCredential body config.options[].credential_id': {
    make: createCredentialFactory('openai', { api_key: 'sk-0123456789' }),
    send: (world, credential_id) => {
      const options = ['a', 'b'].map((label) => ({ label, credential_id, model: 'm' }));
      return routerWith(world, { options });
    },
    verdict: 'refused',
  },
  'addCredentialTeamShare body team_id': sharing('/api/credentials', 'credential'),
  'addGlobalVariableTeamShare body team_id': sharing('/api/global-variables', 'global_variable'),
  'addWorkflowTeamShare body team_id': sharing('/api/workflows', 'workflow'),
  'addVectorStoreTeamShare body team_id': sharing('/api/vector-stores', 'vector_store'),
  'addDataTableTeamShare body team_id': sharing('/api/data-tables', 'data_table'),
  'addBoardTeamShare body team_id': sharing('/api/boards', 'board'),
  'addSkillTeamShare body team_id': sharing('/api/skills', 'skill'),
  'removeNamedCredentialTeamShare body team_id': unsharing('/api/credentials', 'credential'),
  'removeNamedGlobalVariableTeamShare body team_id': unsharing('/api/global-variables', 'global_variable'),
  'removeNamedWorkflowTeamShare body team_id': unsharing('/api/workflows', 'workflow'),
  'removeNamedVectorStoreTeamShare body team_id': unsharing('/api/vector-stores', 'vector_store'),
  'removeNamedDataTableTeamShare body team_id': unsharing('/api/data-tables', 'data_table'),
  'removeNamedBoardTeamShare body team_id': unsharing('/api/boards', 'board'),
  'removeNamedSkillTeamShare body team_id': unsharing('/api/skills', 'skill'),
  'createDataTable body columns[].id': columnsOfOthers('POST', async () => '/api/data-tables'),
  'updateDataTable body columns[].id': columnsOfOthers(
    'PUT',
    async (world) => `/api/data-tables/${await world.make('data_table')}`,
  ),
  'bulkInsertDataRows body [].id': rowsOfOthers('bulk', (id) => [{ id, data: { city: 'Ulm' } }]),
  'bulkUpdateDataRows body updates[].id': rowsOfOthers('bulk-update', (id) => ({
    updates: [{ id, data: { city: 'Bonn' } }],
  })),
  'bulkDeleteDataRows body ids[]': rowsOfOthers('bulk-delete', (id) => ({ ids: [id] })),
  'listAudit query before': filtered(
    async (world, user) => {
      await world.make('folder', user);
      const { items } = (await user.call('GET', '/api/audit?limit=1')).json<{ items: { id: string }[] }>();
      return items[0]?.id ?? '';
    },
    (id) => `/api/audit?before=${id}`,
  ),
  'listAudit query object_id': {
    ...filtered(object('folder'), (id) => `/api/audit?object_id=${id}`),
    traces: async () => ['folder.created'],
    shows: true,
  },
  'bulkDeleteGlobalVariables body ids[]': {
    make: object('global_variable'),
    send: (world, id) => asOwner(world, ['POST', '/api/global-variables/bulk-delete', { ids: [id] }]),
    verdict: 'untouched',
    read: (id) => `/api/global-variables/${id}`,
  },
  'importFolder query parent_id': inFolder(async (world, parent_id) => {
    const archive = await world.users.owner.call('GET', `/folders/${await world.make('folder')}/export`);
    const headers = { 'content-type': 'application/zip' };
    return asOwner(world, ['POST', `/folders/import?parent_id=${parent_id}`, archive.rawPayload, headers]);
  }),
  'createFolder body parent_id': inFolder((world, parent_id) =>
    asOwner(world, ['POST', '/folders', { name: 'new', parent_id }]),
  ),
  'updateFolder body parent_id': inFolder(async (world, parent_id) =>
    asOwner(world, ['PUT', `/folders/${await world.make('folder')}`, { parent_id }]),
  ),
  'listFiles query workflow_id': {
    ...filtered(workflowOfFile, (id) => `/api/files?workflow_id=${id}`),
    traces: async () => ['"filename"'],
    shows: true,
  },
  'bulkDeleteFiles body file_ids[]': bulk('delete'),
  'bulkShareFiles body file_ids[]': bulk('share'),
  'bulkTeamShareFiles body file_ids[]': bulk('team-sharing', { enabled: true }),
  'bulkDownloadFiles body file_ids[]': { ...bulk('download'), verdict: 'refused' },
  'createTemplate body workflow.shared_with_teams[]': newTemplate('workflow'),
  'createTemplate body node.shared_with_teams[]': newTemplate('node'),
  'updateWorkflowTemplate body shared_with_teams[]': changedTemplate('workflow'),
  'updateNodeTemplate body shared_with_teams[]': changedTemplate('node'),
  'createVectorStore body credential_id': {
    make: object('credential'),
    send: (world, credential_id) =>
      asOwner(world, ['POST', '/api/vector-stores', { name: `s ${Math.random()}`, credential_id }]),
    verdict: 'refused',
  },
};
