import { type Json, NodeFailure, type WaitRequest } from '@millrace/engine';
import type { ModelCallNote } from '@millrace/models';
import type {
  Credential,
  DataTables,
  Egress,
  EgressRequest,
  NodeFiles,
  NodeServices,
  SubWorkflowOutcome,
  SubWorkflowRequest,
} from '../services.ts';
import { testParsers } from './documents/test-parsers.ts';

/** Fixed, so that outputs with times can be compared. */
export const TEST_NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

export interface FakeAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
}

/** The world outside of a node in a test. */
export interface Outside {
  services?: Partial<NodeServices>;
  /** Outputs of other workflows by id. */
  workflows?: Record<string, Json>;
  /** Ids of other nodes of the workflow by label. */
  labels?: Record<string, string[]>;
  /** Credentials by id. */
  credentials?: Record<string, Pick<Credential, 'type' | 'values'> & { name?: string }>;
  /** Answers of the fake network; without it every request is answered by `{}`. */
  answer?: FakeAnswer | ((request: EgressRequest) => FakeAnswer);
}

/** Everything that a node did to the outside world while it ran. */
export interface Trace {
  readonly requests: EgressRequest[];
  readonly logged: { level: string; message: string }[];
  readonly sub_runs: SubWorkflowRequest[];
  readonly slept_until: number[];
  readonly disabled: string[];
  readonly steps: string[];
  readonly waits: (WaitRequest & { key: string })[];
  readonly model_calls: NotedModelCall[];
  /** The pieces that were shown of texts that grew, by step; `null` where one began anew. */
  readonly texts: { step: string; piece: string | null }[];
}

export interface NotedModelCall {
  readonly call: ModelCallNote;
  readonly credential_id: string;
  readonly node_id: string;
  readonly step: string;
}

export function emptyTrace(): Trace {
  return {
    requests: [],
    logged: [],
    sub_runs: [],
    slept_until: [],
    disabled: [],
    steps: [],
    waits: [],
    model_calls: [],
    texts: [],
  };
}

/** Services that note what nodes do and answer from what the test says. */
export function fakeServices(trace: Trace, outside: Outside): NodeServices {
  return {
    http: fakeEgress(trace, outside.answer),
    subWorkflow: {
      depth: 0,
      run: (request) => {
        trace.sub_runs.push(request);
        return Promise.resolve(fakeOutcome(request, outside.workflows ?? {}));
      },
      describe: (workflow_id) =>
        Promise.resolve(
          outside.workflows?.[workflow_id] === undefined
            ? null
            : { name: `Workflow ${workflow_id}`, description: '', keys: ['text'], defaults: {} },
        ),
      loadOutcome: ({ workflow_id }) =>
        Promise.resolve(finished(workflow_id, outside.workflows?.[workflow_id] ?? null)),
    },
    outsideContent: { is_inherited: false, isReturnedTo: () => false, isReadInRun: () => false },
    dataTables: noTables(),
    files: emptyDrive(),
    parsers: testParsers,
    now: () => TEST_NOW,
    sleepUntil: (epoch_ms) => {
      trace.slept_until.push(epoch_ms);
      return Promise.resolve();
    },
    disableNode: (label) => {
      trace.disabled.push(label);
      return Promise.resolve(outside.labels?.[label] ?? []);
    },
    platform: {
      listWorkflows: () => Promise.resolve({ workflows: [], total: 0 }),
      workflow: () => Promise.resolve(undefined),
      countRuns: () => Promise.resolve(undefined),
    },
    memories: {
      isShared: () => Promise.resolve(false),
      read: () => Promise.resolve([]),
      merge: () => Promise.resolve(0),
    },
    librarySkill: () => Promise.resolve('no_skill'),
    publishEvent: ({ name }) =>
      Promise.resolve({
        id: '00000000-0000-4000-8000-000000000001',
        name,
        created_at: new Date(TEST_NOW).toISOString(),
      }),
    log: (level, message) => void trace.logged.push({ level, message }),
    credential: async (id): Promise<Credential> => {
      const known = outside.credentials?.[id];
      if (known) return { id, name: id, ...known };
      throw new NodeFailure({ kind: 'credential', message: `credential ${id} not found` });
    },
    renewedCredential: (id) =>
      Promise.reject(new NodeFailure({ kind: 'credential', message: `credential ${id} cannot be renewed` })),
    runCode: () =>
      Promise.reject(new NodeFailure({ kind: 'sandbox', message: 'there is no sandbox in this test' })),
    runScript: () =>
      Promise.reject(new NodeFailure({ kind: 'sandbox', message: 'there is no sandbox in this test' })),
    startProgram: () =>
      Promise.reject(new NodeFailure({ kind: 'sandbox', message: 'there is no sandbox in this test' })),
    mask: (value) => value,
    noteModelCall: (call, { credential, node, step }) =>
      trace.model_calls.push({ call, credential_id: credential.id, node_id: node.id, step }),
    requireBudget: () => Promise.resolve(),
    vectorStore: (id) =>
      Promise.reject(new NodeFailure({ kind: 'upstream', message: `vector store ${id} not found` })),
    ...outside.services,
  };
}

/** Takes files and has none. */
export function emptyDrive(): NodeFiles {
  const none = () => Promise.reject(new NodeFailure({ kind: 'upstream', message: 'File not found' }));
  return {
    store: async ({ filename, body }) => {
      let size_bytes = 0;
      for await (const chunk of body) size_bytes += chunk.length;
      const name = typeof filename === 'function' ? filename() : filename;
      const file = { id: 'file-1', filename: name, mime_type: 'application/octet-stream', size_bytes };
      return { ...file, download_url: `/api/files/dl/${name}` };
    },
    list: () => Promise.resolve([]),
    find: none,
    open: none,
    remove: () => Promise.resolve(),
    changeLink: none,
    shareWithTeams: none,
    convert: none,
    pages: none,
  };
}

function noTables(): DataTables {
  const none = () => Promise.reject(new NodeFailure({ kind: 'upstream', message: 'Data table not found' }));
  return { find: none, count: none, read: none, write: none };
}

function fakeOutcome(
  { workflow_id, wait }: SubWorkflowRequest,
  known: Record<string, Json>,
): SubWorkflowOutcome {
  const outputs = known[workflow_id];
  if (outputs === undefined) return { kind: 'not_found' };
  if (!wait) return { kind: 'dispatched', workflow_id };
  return finished(workflow_id, outputs);
}

function finished(workflow_id: string, outputs: Json): SubWorkflowOutcome {
  return { kind: 'finished', workflow_id, status: 'success', outputs, execution_time_ms: 1 };
}

function fakeEgress(trace: Trace, answer: Outside['answer'] = {}): Egress {
  const noConnection = (host: string) =>
    Promise.reject(new NodeFailure({ kind: 'upstream', message: `${host}: no connections in this test` }));
  return {
    connect: ({ host }) => noConnection(host),
    resolveAddresses: noConnection,
    request: (request) => {
      trace.requests.push(request);
      const {
        status = 200,
        headers = {},
        body = '{}',
      } = typeof answer === 'function' ? answer(request) : answer;
      return Promise.resolve({ status, headers, url: request.url, body: oneChunk(body) });
    },
  };
}

async function* oneChunk(body: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof body === 'string' ? new TextEncoder().encode(body) : body;
}
