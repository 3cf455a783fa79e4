import type { AnyEndpoint } from '@millrace/contracts';
import type { Kind, World } from '../support/matrix-world.ts';
import { letClientIn } from '../support/oauth-flow.ts';
import { refusingService } from '../support/refusing-service.ts';
import { askForReview } from '../support/swaps/inbox-swaps.ts';

/**
 * Who may call an endpoint.
 *
 * - `public`: anyone; the handler decides by the content of the request. - `own_space`: signed-in users, about
 * themselves. - `admin`: administrators. - `read`: users who can see the object. - `own`: its owner; others who can see it
 * get 403. - `private`: its owner; for others it does not exist. - `received`: those that it is shared with directly;
 * others who can see it get 403. Users who cannot see an object get 404.
 */
export type Rule = 'public' | 'own_space' | 'admin' | 'read' | 'own' | 'private' | 'received';

/** The parts that a request is built from. */
export interface Place {
  readonly world: World;
  /** Object that the address names; empty when it names none. */
  readonly id: string;
}

export interface Row {
  readonly rule: Rule;
  readonly kind?: Kind;
  /** Ids in the path beside the object's own, and the object's own under another name than `id`. */
  readonly params?: Record<string, (place: Place) => string | Promise<string>>;
  /** The values that the endpoint requires in its query. */
  readonly query?: Readonly<Record<string, string>>;
  /** Variants of an endpoint with other permissions, by the query that selects them. */
  readonly variants?: readonly { readonly rule: Rule; readonly query: Readonly<Record<string, string>> }[];
  readonly body?: (place: Place) => unknown;
  /** Statuses that mean "was let in" where a 2xx cannot be reached here. */
  readonly let_in?: readonly number[];
  /** Answer to users who cannot see the object, in place of 404, and to those who name one that does not exist. */
  readonly unseen?: 403;
  /** The change leaves no entry in the audit log, and why. */
  readonly unaudited?: string;
}

const email = ({ world }: Place) => ({ email: world.newcomer.email });
const team = async ({ world }: Place) => ({ team_id: await world.make('team') });
const self = ({ id }: Place) => id;
const directUser = ({ world }: Place) => world.users.direct.id;
const bothUser = ({ world }: Place) => world.users.both.id;
const teamId = ({ world }: Place) => world.team_id;
const buildCreator =
  (kind: Kind) =>
  ({ world }: Place) =>
    world.make(kind);

const alertInput = async (place: Place) => {
  const workflow_id = await buildCreator('workflow')(place);
  return { name: 'x', workflow_id, target_workflow_id: workflow_id, kind: 'silence', window_minutes: 60 };
};

async function createVersion({ world, id }: Place): Promise<string> {
  const url = `/api/workflows/${id}`;
  await world.call('owner', 'PUT', url, { name: `renamed ${Math.random()}` });
  const list = (await world.call('owner', 'GET', `${url}/versions`)).json<{ id: string }[]>();
  return list[0]?.id ?? '';
}

async function startRun({ world, id }: Place): Promise<string> {
  await world.call('owner', 'POST', `/api/workflows/${id}/execute`, { text: 'x' });
  const list = (await world.call('owner', 'GET', `/api/workflows/${id}/history`)).json<{
    items: { id: string }[];
  }>();
  return list.items[0]?.id ?? '';
}

const requestReview = ({ world, id }: Place) => askForReview(world.users.owner, id);

async function createSlot({ world, id }: Place): Promise<string> {
  const take = { id: 'take', type: 'fileUploadTrigger', position: { x: 0, y: 0 }, data: { label: 'take' } };
  await world.call('owner', 'PUT', `/api/workflows/${id}`, { nodes: [take], edges: [] });
  const minted = await world.call('owner', 'POST', `/api/workflows/${id}/execute`, {});
  return minted.json<{ slot_id: string }>().slot_id;
}

async function createClock({ world, id }: Place): Promise<string> {
  const clock = { id: crypto.randomUUID(), type: 'cron', position: { x: 0, y: 0 }, data: { label: 'clock' } };
  await world.call('owner', 'PUT', `/api/workflows/${id}`, { nodes: [clock], edges: [] });
  return clock.id;
}

async function createFileLink({ world, id }: Place): Promise<string> {
  return (await world.call('owner', 'POST', `/api/files/${id}/share`, {})).json<{ id: string }>().id;
}

async function createToken({ world, id }: Place): Promise<string> {
  const url = `/api/workflows/${id}/execution-tokens`;
  return (await world.call('owner', 'POST', url, { ttl_seconds: 60 })).json<{ id: string }>().id;
}

const entity = (entity_name: string) => ({
  entity_name: `${entity_name} ${Math.random()}`,
  entity_type: 'person',
});
const relation = { source_entity_name: 'Ada', target_entity_name: 'Grace', relationship_type: 'knows' };

async function createAgent({ world, id }: Place): Promise<string> {
  const agent_id = `agent-${id}`;
  const agent = { id: agent_id, type: 'agent', position: { x: 0, y: 0 }, data: { label: 'agent' } };
  await world.call('owner', 'PUT', `/api/workflows/${id}`, { nodes: [agent], edges: [] });
  return agent_id;
}

async function agentWithEntities(place: Place): Promise<string> {
  const agent = await createAgent(place);
  const url = `/api/workflows/${place.id}/nodes/${agent}/agent-memory/nodes`;
  for (const entity_name of ['Ada', 'Grace'])
    await place.world.call('owner', 'POST', url, { entity_name, entity_type: 'person' });
  return agent;
}

let newest = 0;

/** A former version with a number that skills made before do not have. */
async function formerSkillVersion({ world, id }: Place): Promise<string> {
  newest += 2;
  for (let version = 2; version <= newest; version++)
    await world.call('owner', 'PATCH', `/api/skills/${id}`, { content: `# ${version}` });
  return String(newest - 1);
}

async function createMemoryNode(place: Place): Promise<string> {
  const url = `/api/workflows/${place.id}/nodes/${await createAgent(place)}/agent-memory/nodes`;
  return (await place.world.call('owner', 'POST', url, entity('old'))).json<{ id: string }>().id;
}

async function createMemoryEdge(place: Place): Promise<string> {
  const url = `/api/workflows/${place.id}/nodes/${await agentWithEntities(place)}/agent-memory/edges`;
  return (await place.world.call('owner', 'POST', url, relation)).json<{ id: string }>().id;
}

/** Something to publish or to discard. */
async function drafted({ world, id }: Place): Promise<void> {
  const nodes = [{ id: 'in', type: 'textInput', data: { label: `draft ${Math.random()}` } }];
  await world.call('owner', 'PUT', `/api/workflows/${id}?draft=true`, { nodes, edges: [] });
}

/** A report to dismiss; only an import makes one, and it makes a workflow too. */
async function reported({ world, id }: Place): Promise<void> {
  await world.app.services.database.sql.query({
    text: `UPDATE workflows SET import_report = '{"imported_at":"2026-01-01T00:00:00.000Z","lines":[]}' WHERE id = $1`,
    values: [id],
  });
}

async function createPortalUser({ world, id }: Place): Promise<string> {
  const url = `/api/workflows/${id}/portal/users`;
  const body = { username: `user ${Math.random()}`, password: 'secret' };
  return (await world.call('owner', 'POST', url, body)).json<{ id: string }>().id;
}

async function createConversation({ world, id }: Place): Promise<string> {
  const portal_slug = `talk-${crypto.randomUUID()}`;
  await world.call('owner', 'PUT', `/api/workflows/${id}/portal`, { portal_enabled: true, portal_slug });
  const begun = await world.app.call('POST', `/api/portal/${portal_slug}/conversations`);
  return begun.json<{ id: string }>().id;
}

/** An answer that a chat holds; no model can be reached here to write one. */
async function createAnswer({ world, id }: Place): Promise<string> {
  const { rows: made } = await world.app.services.database.sql.query<{ id: string }>({
    text: `INSERT INTO chat_messages (chat_id, position, content, state, saved_at)
      VALUES ($1, 1, '{"parts":[],"problem":null}', 'done', now()) RETURNING id`,
    values: [id],
  });
  return made[0]?.id ?? '';
}

async function createMcpSession({ world }: Place): Promise<string> {
  const { rows } = await world.app.services.database.sql.query<{ id: string }>({
    text: `INSERT INTO mcp_sessions (user_id, expires_at) VALUES ($1, '9999-01-01') RETURNING id`,
    values: [world.users.owner.id],
  });
  return rows[0]?.id ?? '';
}

async function createGrant({ world }: Place): Promise<string> {
  await letClientIn(world.app, world.users.owner);
  const list = await world.call('owner', 'GET', '/api/oauth/grants');
  return list.json<{ id: string }[]>()[0]?.id ?? '';
}

const files = async (place: Place) => ({ file_ids: [await buildCreator('file')(place)] });
async function addDataRow({ world, id }: Place): Promise<string> {
  const url = `/api/data-tables/${id}/rows`;
  const body = { data: { city: 'Berlin' } };
  return (await world.call('owner', 'POST', url, body)).json<{ id: string }>().id;
}

async function createTestCase({ world, id }: Place): Promise<string> {
  const answer = await world.call('owner', 'POST', `/api/evals/suites/${id}/test-cases`, { input: 'x' });
  return answer.json<{ id: string }>().id;
}

async function findEvalResult({ world, id }: Place): Promise<string> {
  const run = (await world.call('owner', 'GET', `/api/evals/runs/${id}`)).json<{
    results: { id: string }[];
  }>();
  return run.results[0]?.id ?? '';
}

/** A model that cannot be reached. */
async function askedModel({ world }: Place) {
  const config = { api_key: 'k', base_url: refusingService.url };
  const body = { name: `asked ${Math.random()}`, type: 'custom', config };
  const made = await world.call('owner', 'POST', '/api/credentials', body);
  return { credential_id: made.json<{ id: string }>().id, model: 'm' };
}

async function addBoardColumn({ world, id }: Place): Promise<string> {
  return (await world.call('owner', 'POST', `/api/boards/${id}/columns`, { name: 'new' })).json<{
    id: string;
  }>().id;
}

async function addBoardCard({ world, id }: Place): Promise<string> {
  return (await world.call('owner', 'POST', `/api/boards/${id}/cards`, { title: 'new' })).json<{
    id: string;
  }>().id;
}

async function addDeletedCard(place: Place): Promise<string> {
  const card_id = await addBoardCard(place);
  await place.world.call('owner', 'DELETE', `/api/boards/${place.id}/cards/${card_id}`);
  return card_id;
}

/** Ids of runs that the caller does not see are passed over. */
const namedRun = () => ({ execution_ids: [crypto.randomUUID()] });
const ITS_OWN_ACTIVITY = 'each card has its activity';
const ITS_OWN_AUTHOR = 'a row holds who changed it and when';
const READS_ONLY = 'changes nothing';
const OWN_VIEW = 'arranges what the person sees';
const OWN_CHAT = 'a chat belongs to one person alone and changes nothing else';
const OWN_CASES = 'test cases belong to one person alone';
const A_RUN = 'runs have their own history';

/** Rows that cannot be derived, by endpoint id. A new endpoint mostly needs none; one line when it does. */
export const rows: Readonly<Record<string, Partial<Row>>> = {
  // Own account
  changePassword: { body: () => ({ current_password: 'Passw0rd!', new_password: 'Passw0rd!' }) },

  // Workflows
  createWorkflow: { body: () => ({ name: 'new' }) },
  importWorkflow: { body: () => ({ nodes: [], edges: [] }) },
  convertWorkflow: { body: () => ({ document: { nodes: [], edges: [] } }), unaudited: READS_ONLY },
  updateWorkflow: { rule: 'read', body: () => ({ name: `renamed ${Math.random()}` }) },
  listSchedules: {
    rule: 'own_space',
    query: { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' },
  },
  pauseTrigger: { rule: 'read', params: { node_id: createClock } },
  resumeTrigger: { rule: 'read', params: { node_id: createClock }, unaudited: 'the trigger was not paused' },
  listenToTrigger: { rule: 'read', params: { node_id: createClock }, unaudited: READS_ONLY },
  runTrigger: { rule: 'read', params: { node_id: createClock }, unaudited: A_RUN },
  publishWorkflow: { rule: 'read', body: async (place) => drafted(place).then(() => ({ note: 'new' })) },
  setPublishGate: { body: () => ({ suites: [] }) },
  runPublishGate: { rule: 'read', unaudited: A_RUN },
  discardWorkflowDraft: { rule: 'read', body: drafted },
  duplicateWorkflow: { rule: 'read' },
  dismissImportReport: { rule: 'read', body: reported },
  readWorkflowVersion: { params: { version_id: createVersion } },
  diffWorkflowVersion: { params: { version_id: createVersion } },
  revertWorkflowVersion: { params: { version_id: createVersion }, body: () => ({ confirm: true }) },
  writeAnalysisDocument: { rule: 'read', body: () => ({ content: 'x', base_revision: 0 }), let_in: [409] },
  readAgentMemory: { params: { node: createAgent } },
  createAgentMemoryNode: { rule: 'read', params: { node: createAgent }, body: () => entity('new') },
  createAgentMemoryEdge: {
    rule: 'read',
    params: { node: agentWithEntities },
    body: () => ({ ...relation, relationship_type: `knows ${Math.random()}` }),
  },
  updateAgentMemoryNode: { rule: 'read', params: { memory_node_id: createMemoryNode } },
  deleteAgentMemoryNode: { rule: 'read', params: { memory_node_id: createMemoryNode } },
  updateAgentMemoryEdge: { rule: 'read', params: { memory_edge_id: createMemoryEdge } },
  deleteAgentMemoryEdge: { rule: 'read', params: { memory_edge_id: createMemoryEdge } },
  createExecutionToken: { rule: 'read', body: () => ({ ttl_seconds: 60 }) },
  executeWorkflow: { rule: 'read', kind: 'workflow', unaudited: A_RUN },
  streamWorkflow: { rule: 'read', kind: 'workflow', unaudited: A_RUN },
  attachToExecution: { rule: 'read', kind: 'workflow', params: { execution_id: startRun } },
  cancelExecution: { rule: 'read', params: { execution_id: startRun }, let_in: [404, 409], unaudited: A_RUN },
  replayExecution: {
    rule: 'read',
    params: { execution_id: startRun },
    body: () => ({ from: 'start' }),
    let_in: [409],
    unaudited: A_RUN,
  },
  revokeExecutionToken: { rule: 'private', params: { token_id: createToken } },
  getAnyHistoryEntry: { rule: 'read', kind: 'workflow', params: { entry_id: startRun } },
  getRunGraph: { rule: 'read', kind: 'workflow', params: { entry_id: startRun } },
  getHistoryEntry: { params: { entry_id: startRun } },
  streamHistoryEntry: { params: { entry_id: startRun } },
  deleteHistory: { rule: 'read' },
  deleteHistoryEntry: { rule: 'read', params: { entry_id: startRun } },
  clearResponseCache: { rule: 'read', unaudited: 'the cache may be lost at any time' },
  readOpenReview: { rule: 'read', kind: 'workflow', params: { review_id: requestReview } },
  decideOpenReview: {
    rule: 'read',
    kind: 'workflow',
    params: { review_id: requestReview },
    body: () => ({ action: 'accept' }),
    unaudited: A_RUN,
  },
  getWorkflowStats: { rule: 'read', kind: 'workflow', unseen: 403 },
  getWorkflowMetrics: { rule: 'read', kind: 'workflow', unseen: 403 },
  dismissEntries: { body: namedRun, unaudited: 'a run holds when it was dismissed' },
  sendDeliveries: {
    rule: 'own_space',
    body: () => ({ delivery_ids: ['00000000-0000-4000-8000-000000000000'] }),
    unaudited: 'the run that it starts is in history',
  },
  restoreEntries: { body: namedRun, unaudited: 'a run holds when it was dismissed' },
  publishPlatformEvent: {
    body: () => ({ name: 'custom.order.paid' }),
    unaudited: 'an event is a record of itself',
  },
  createReplayJob: { body: namedRun, unaudited: A_RUN },
  readReplayJob: { rule: 'private' },
  readTrace: { rule: 'private' },
  pauseReplayJob: { rule: 'private', unaudited: A_RUN },
  resumeReplayJob: { rule: 'private', unaudited: A_RUN },
  cancelReplayJob: { rule: 'private', unaudited: A_RUN },
  evaluateExpression: {
    rule: 'read',
    kind: 'workflow',
    body: ({ id }) => ({ expression: '$input', workflow_id: id, current_node_id: 'out', node_results: [] }),
    unaudited: READS_ONLY,
  },

  // Portal; what its visitors call proves itself by a session of the portal
  updatePortalSettings: {
    body: () => ({ portal_stream_enabled: Math.random() < 0.5, portal_slug: `s-${crypto.randomUUID()}` }),
  },
  addPortalUser: { body: () => ({ username: `new ${Math.random()}`, password: 'secret' }) },
  checkPortalSlug: { rule: 'own', query: { slug: 'free-slug' } },
  resetPortalUser: { params: { user_id: createPortalUser }, body: () => ({ password: 'another' }) },
  removePortalUser: { params: { user_id: createPortalUser } },
  endPortalUserSessions: { params: { user_id: createPortalUser } },
  readWorkflowConversation: { params: { conversation_id: createConversation } },
  deleteWorkflowConversation: { params: { conversation_id: createConversation } },

  // Shares of everything
  ...Object.fromEntries(
    ['Workflow', 'Credential', 'GlobalVariable', 'VectorStore', 'DataTable', 'Board', 'Skill'].flatMap(
      (kind): [string, Partial<Row>][] => [
        [`list${kind}Shares`, { rule: 'own' }],
        [`add${kind}Share`, { body: email }],
        [`remove${kind}Share`, { params: { user_id: directUser } }],
        [`leave${kind}`, { rule: 'received' }],
        [`list${kind}TeamShares`, { rule: 'own' }],
        [`add${kind}TeamShare`, { body: team }],
        [`remove${kind}TeamShare`, { params: { team_id: teamId } }],
        [`removeNamed${kind}TeamShare`, { body: (place) => ({ team_id: teamId(place) }) }],
      ],
    ),
  ),

  // Folders
  createFolder: { body: () => ({ name: 'new' }) },
  importFolder: { let_in: [415] },
  moveWorkflowToFolder: {
    rule: 'private',
    kind: 'folder',
    params: { folder_id: self, workflow_id: buildCreator('workflow') },
  },
  removeWorkflowFromFolder: { rule: 'read', kind: 'workflow', params: { workflow_id: self } },
  scheduleDeletion: { kind: 'workflow' },
  cancelDeletion: { kind: 'workflow', unaudited: 'nothing was scheduled' },
  pinWorkflow: { rule: 'read', unaudited: OWN_VIEW },
  unpinWorkflow: { rule: 'read', unaudited: OWN_VIEW },

  // Teams
  createTeam: { body: () => ({ name: 'new' }) },
  addTeamMember: { rule: 'read', body: email },
  removeTeamMember: { rule: 'read', params: { user_id: bothUser } },

  // Credentials
  createCredential: {
    body: () => ({ name: `new ${Math.random()}`, type: 'bearer', config: { bearer_token: 'abcdefghij' } }),
  },
  testCredential: { body: () => ({ type: 'smtp', config: { smtp_host: 'x' } }), unaudited: READS_ONLY },
  listCredentialsByType: { rule: 'own_space', params: { type: () => 'openai' } },
  listCredentialModels: { let_in: [400] },
  readModelFacts: { query: { model: 'gpt-5' } },
  listCredentialChoices: {
    rule: 'read',
    body: () => ({ node_type: 'grist', list: 'documents' }),
    let_in: [422],
    unaudited: READS_ONLY,
  },
  readModelRouter: { rule: 'own', let_in: [400] },
  startCredentialSignIn: {
    rule: 'own',
    kind: 'credential',
    params: { provider: () => 'google-sheets' },
    body: ({ id }) => ({ credential_id: id }),
    let_in: [422],
  },
  // No sign-in has begun; that one counts for the person who began it alone is in sign-in-at-address.test.ts.
  finishCredentialSignInAt: {
    rule: 'own_space',
    params: { provider: () => 'codex' },
    body: () => ({ address: 'http://localhost:1455/auth/callback?code=1&state=unknown' }),
    let_in: [400],
    unaudited: READS_ONLY,
  },
  endCredentialSignIn: { let_in: [400] },

  // Assistants: all are refused there because the credential opens no model
  dashboardChat: {
    rule: 'read',
    kind: 'credential',
    body: ({ id }) => ({ credential_id: id, model: 'm', message: 'x' }),
    let_in: [400],
    unaudited: READS_ONLY,
  },
  workflowAssistant: {
    rule: 'read',
    kind: 'credential',
    body: ({ id }) => ({ credential_id: id, model: 'm', message: 'x' }),
    let_in: [400],
    unaudited: READS_ONLY,
  },

  skillBuilder: {
    rule: 'read',
    kind: 'credential',
    body: ({ id }) => ({ credential_id: id, model: 'm', message: 'x' }),
    let_in: [400],
    unaudited: READS_ONLY,
  },
  fixTranscription: {
    rule: 'read',
    kind: 'credential',
    body: ({ id }) => ({ credential_id: id, model: 'm', text: 'x' }),
    let_in: [400],
    unaudited: READS_ONLY,
  },
  createChat: { body: () => ({}), unaudited: OWN_CHAT },
  readChat: { rule: 'private' },
  readChatAnswer: { rule: 'private', params: { answer_id: createAnswer } },
  renameChat: { rule: 'private', body: () => ({ title: 'renamed' }), unaudited: OWN_CHAT },
  decideProposal: {
    rule: 'private',
    params: { answer_id: createAnswer },
    body: () => ({ decision: 'rejected' }),
    let_in: [409],
    unaudited: OWN_CHAT,
  },
  stopChat: { rule: 'private', unaudited: OWN_CHAT },
  deleteChat: { rule: 'private', unaudited: OWN_CHAT },

  // Variables
  createGlobalVariable: { body: () => ({ name: `new ${Math.random()}` }) },
  bulkDeleteGlobalVariables: {
    body: async (place) => ({ ids: [await buildCreator('global_variable')(place)] }),
  },
  updateGlobalVariable: { rule: 'read', body: () => ({ value: 2 }) },

  // Files
  uploadFile: { let_in: [415] },
  deleteAllFiles: { body: (place) => buildCreator('file')(place).then(() => undefined) },
  bulkDeleteFiles: { body: files },
  bulkShareFiles: { body: files },
  bulkTeamShareFiles: { body: async (place) => ({ ...(await files(place)), enabled: false }) },
  bulkDownloadFiles: { body: files, let_in: [200, 404], unaudited: READS_ONLY },
  listFileLinks: { rule: 'own' },
  deleteFileLink: { params: { link_id: createFileLink } },
  getUploadSlot: { rule: 'read', kind: 'workflow', params: { slot_id: createSlot } },
  setFileTeamSharing: { body: () => ({ enabled: true }) },

  // Templates
  createTemplate: { body: () => ({ kind: 'node', node: { name: 'new', node_type: 'set', node_data: {} } }) },
  useWorkflowTemplate: { rule: 'read', unaudited: 'a counter' },
  useNodeTemplate: { rule: 'read', unaudited: 'a counter' },

  // MCP
  revokeOauthGrant: { rule: 'private', params: { grant_id: createGrant } },
  switchMcpWorkflow: { rule: 'read', body: () => ({ mcp_enabled: true }) },
  endMcpSession: { rule: 'private', params: { session_id: createMcpSession } },
  createMcpServer: { body: () => ({ name: `new ${Math.random()}` }) },
  inspectMcp: { body: () => ({ method: 'tools/list' }), unaudited: READS_ONLY },
  switchMcpServerWorkflow: {
    params: { server_id: self, workflow_id: buildCreator('workflow') },
    body: () => ({ enabled: true }),
  },
  fetchMcpTools: {
    body: () => ({ connection: { transport: 'stdio' } }),
    let_in: [422],
    unaudited: READS_ONLY,
  },

  // Vector stores
  createVectorStore: { let_in: [201, 422] },

  // Data tables
  createDataTable: { body: () => ({ name: `new ${Math.random()}` }) },
  updateDataTable: { body: () => ({ name: `renamed ${Math.random()}` }) },
  queryDataRows: { rule: 'read', unaudited: READS_ONLY },
  createDataRow: { body: () => ({ data: { city: 'Ulm' } }), unaudited: ITS_OWN_AUTHOR },
  readDataRow: { params: { row_id: addDataRow } },
  updateDataRow: {
    params: { row_id: addDataRow },
    body: () => ({ data: { city: 'Bonn' } }),
    unaudited: ITS_OWN_AUTHOR,
  },
  deleteDataRow: { params: { row_id: addDataRow }, unaudited: ITS_OWN_AUTHOR },
  upsertDataRow: {
    body: () => ({ filter: { city: 'Ulm' }, data: { city: 'Bonn' } }),
    unaudited: ITS_OWN_AUTHOR,
  },
  bulkInsertDataRows: { body: () => [{ data: { city: 'Ulm' } }] },
  bulkUpdateDataRows: {
    body: async (place) => ({ updates: [{ id: await addDataRow(place), data: { city: 'Bonn' } }] }),
  },
  bulkDeleteDataRows: { body: async (place) => ({ ids: [await addDataRow(place)] }) },
  previewDataCsv: { rule: 'read', let_in: [415], unaudited: READS_ONLY },
  importDataCsv: { let_in: [415] },
  // Evals
  createEvalSuite: { body: () => ({ name: 'new' }) },
  createEvalTestCase: { body: () => ({ input: 'new' }), unaudited: OWN_CASES },
  updateEvalTestCase: {
    params: { case_id: createTestCase },
    body: () => ({ input: 'changed' }),
    unaudited: OWN_CASES,
  },
  deleteEvalTestCase: { params: { case_id: createTestCase }, unaudited: OWN_CASES },
  optimizeEvalPrompt: {
    body: async (place) => ({ ...(await askedModel(place)), system_prompt: 'x' }),
    let_in: [503],
    unaudited: READS_ONLY,
  },
  generateEvalTestData: { body: askedModel, let_in: [503], unaudited: READS_ONLY },
  startEvalRun: {
    body: async (place) => {
      const { credential_id, model } = await askedModel(place);
      return { credential_id, models: [model] };
    },
    let_in: [409],
    unaudited: A_RUN,
  },
  readEvalResult: { params: { result_id: findEvalResult } },
  renameEvalRun: { body: () => ({ name: 'renamed' }), unaudited: A_RUN },
  cancelEvalRun: { unaudited: A_RUN },
  // Boards
  createBoard: { body: () => ({ name: 'new' }) },
  createBoardColumn: { body: () => ({ name: 'new' }) },
  updateBoardColumn: { params: { column_id: addBoardColumn }, body: () => ({ name: 'renamed' }) },
  deleteBoardColumn: { params: { column_id: addBoardColumn } },
  clearBoardColumn: { params: { column_id: addBoardColumn } },
  createBoardCard: { body: () => ({ title: 'new' }), unaudited: ITS_OWN_ACTIVITY },
  readBoardCard: { params: { card_id: addBoardCard } },
  updateBoardCard: {
    params: { card_id: addBoardCard },
    body: () => ({ title: 'renamed' }),
    unaudited: ITS_OWN_ACTIVITY,
  },
  deleteBoardCard: { params: { card_id: addBoardCard }, unaudited: 'a card can be restored' },
  restoreBoardCard: { params: { card_id: addDeletedCard }, unaudited: ITS_OWN_ACTIVITY },
  moveBoardCard: {
    params: { card_id: addBoardCard },
    body: async (place) => ({ to_column_id: await addBoardColumn(place) }),
    unaudited: ITS_OWN_ACTIVITY,
  },
  runBoardCard: { params: { card_id: addBoardCard }, let_in: [409], unaudited: A_RUN },
  stopBoardCard: { params: { card_id: addBoardCard }, let_in: [409], unaudited: A_RUN },
  commentOnBoardCard: {
    params: { card_id: addBoardCard },
    body: () => ({ content: 'new' }),
    unaudited: ITS_OWN_ACTIVITY,
  },
  deleteBoardActivity: {
    params: { card_id: addBoardCard, activity_id: () => crypto.randomUUID() },
    let_in: [404],
  },
  attachToBoardCard: { params: { card_id: addBoardCard }, let_in: [415], unaudited: ITS_OWN_ACTIVITY },
  downloadBoardAttachment: {
    params: { card_id: addBoardCard, attachment_id: () => crypto.randomUUID() },
    let_in: [404],
  },
  deleteBoardAttachment: {
    params: { card_id: addBoardCard, attachment_id: () => crypto.randomUUID() },
    let_in: [404],
    unaudited: ITS_OWN_ACTIVITY,
  },
  cloneVectorStore: { let_in: [400, 503] },
  uploadVectorStoreDocument: {
    rule: 'read',
    let_in: [415],
    variants: [{ rule: 'own', query: { override_duplicates: 'true' } }],
  },
  checkVectorStoreDuplicates: {
    rule: 'read',
    body: () => ({ files: [{ filename: 'a.txt', file_size: 1 }] }),
    let_in: [400, 503],
    unaudited: READS_ONLY,
  },
  listVectorStoreItems: { let_in: [400, 503] },
  searchVectorStore: {
    rule: 'read',
    body: () => ({ query: 'x' }),
    let_in: [400, 503],
    unaudited: READS_ONLY,
  },
  deleteVectorStoreSource: { query: { source: 'a.txt' }, let_in: [400, 503] },
  deleteVectorStoreItem: {
    params: { point_id: () => '00000000-0000-4000-8000-000000000000' },
    let_in: [400, 503],
  },
  createAlert: { rule: 'read', kind: 'workflow', body: alertInput },
  updateAlert: { body: alertInput },
  createSkill: { body: () => ({ name: `new ${Math.random()}` }) },
  updateSkill: { body: () => ({ name: `renamed ${Math.random()}` }) },
  importSkills: { let_in: [415] },
  readSkillVersion: { params: { number: formerSkillVersion } },
  restoreSkillVersion: { params: { number: formerSkillVersion } },
};

const PREFIXES: readonly (readonly [RegExp, Kind])[] = [
  [/^(\/api)?\/workflows\/\{(id|workflow_id)\}/, 'workflow'],
  [/^\/api\/mcp\/workflows\/\{id\}/, 'workflow'],
  [/^\/api\/mcp\/servers\/\{(id|server_id)\}/, 'mcp_server'],
  [/^\/api\/credentials\/\{id\}/, 'credential'],
  [/^\/api\/global-variables\/\{id\}/, 'global_variable'],
  [/^\/api\/vector-stores\/\{id\}/, 'vector_store'],
  [/^\/folders\/\{id\}/, 'folder'],
  [/^\/api\/files\/\{id\}/, 'file'],
  [/^\/api\/teams\/\{id\}/, 'team'],
  [/^\/api\/templates\/workflow\/\{id\}/, 'workflow_template'],
  [/^\/api\/templates\/node\/\{id\}/, 'node_template'],
  [/^\/api\/data-tables\/\{id\}/, 'data_table'],
  [/^\/api\/boards\/\{id\}/, 'board'],
  [/^\/api\/replays\/\{id\}/, 'replay_job'],
  [/^\/api\/traces\/\{id\}/, 'trace'],
  [/^\/api\/chats\/\{id\}/, 'chat'],
  [/^\/api\/evals\/suites\/\{id\}/, 'eval_suite'],
  [/^\/api\/evals\/runs\/\{id\}/, 'eval_run'],
  [/^\/api\/alerts\/\{id\}/, 'alert'],
  [/^\/api\/skills\/\{id\}/, 'skill'],
  [/^\/api\/auth\/sessions\/\{id\}/, 'session'],
];

function derivedRule({ auth, method }: AnyEndpoint, kind: Kind | undefined): Rule {
  if (auth === 'none' || auth === 'own' || auth === 'optional_session') return 'public';
  if (auth === 'admin') return 'admin';
  if (!kind) return 'own_space';
  return method === 'GET' ? 'read' : 'own';
}

/** Why an endpoint has no complete row; the sentence says what to add. */
export class MissingRow extends Error {}

/** The row of an endpoint, derived from its contract where that is enough. */
export function deriveRow(endpoint: AnyEndpoint): Row {
  const given = Object.hasOwn(rows, endpoint.id) ? rows[endpoint.id] : undefined;
  const kind = given?.kind ?? PREFIXES.find(([pattern]) => pattern.test(endpoint.path))?.[1];
  const rule = given?.rule ?? derivedRule(endpoint, kind);
  const known = new Set([...Object.keys(given?.params ?? {}), ...(kind ? ['id', 'workflow_id'] : [])]);
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const unknown = names.filter((name) => !known.has(name));
  if (rule !== 'public' && unknown.length > 0) {
    throw new MissingRow(`${endpoint.id}: add a row with params ${unknown.join(', ')}`);
  }
  const accepts = (body: unknown) => endpoint.body?.safeParse(body).success ?? true;
  if (rule !== 'public' && !given?.body && !given?.let_in && !accepts(undefined) && !accepts({})) {
    throw new MissingRow(`${endpoint.id}: add a row with a body that the contract accepts`);
  }
  return { ...given, rule, ...(kind ? { kind } : {}) };
}
