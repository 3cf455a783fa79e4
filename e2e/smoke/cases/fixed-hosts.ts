import type { JsonObject } from '@millrace/engine';
import { expect } from 'vitest';
import { egressTo } from '../../../packages/nodes/src/testing/real-egress.ts';
import { runNode } from '../../../packages/nodes/src/testing/run-node.ts';
import { type ServerAnswer, serveJson } from '../../../packages/nodes/src/testing/servers/json-server.ts';
import type { SmokeCases } from '../smoke-case.ts';
import type { SmokeWorld } from '../world.ts';

interface FixedHost {
  /** Why the built product cannot be led to a server of this machine. */
  readonly why: string;
  /** The address that the test's server takes the place of. */
  readonly address: string;
  /** Type of the credential. */
  readonly credential: string;
  readonly values: JsonObject;
  readonly data: JsonObject;
  /** Verb and path of the only call that is answered, with the header that it has to carry. */
  readonly call: string;
  readonly header: readonly [name: string, value: string];
  readonly answer: ServerAnswer;
  readonly output: JsonObject;
}

const GOOGLE = {
  why: 'Google has one address, which the credential does not name',
  header: ['authorization', 'Bearer token-of-google'],
} as const;
const signedIn = { client_id: 'client', client_secret: 'secret', access_token: 'token-of-google' };

/**
 * Services that have one address on the internet. The product offers no way to another one, so these nodes run in this
 * process, with the call that production builds, against a server in the place of the service.
 */
export const FIXED_HOSTS: Readonly<Record<string, FixedHost>> = {
  telegram: {
    why: 'The bot API has one address, and the credential holds the token alone',
    address: 'https://api.telegram.org',
    credential: 'telegram',
    values: { bot_token: '1:canary' },
    data: { chatId: '-100', message: 'Hello ü' },
    call: 'POST /bot1%3Acanary/sendMessage',
    header: ['content-type', 'application/json'],
    answer: { body: { ok: true, result: { message_id: 5 } } },
    output: { ok: true, result: { message_id: 5 } },
  },
  googleDrive: {
    ...GOOGLE,
    address: 'https://www.googleapis.com',
    credential: 'google_drive',
    values: signedIn,
    data: { gdOperation: 'listFolderFiles', gdFolderId: 'folder-1' },
    call: 'GET /drive/v3/files',
    answer: { body: { files: [{ id: 'a-1', name: 'A', mimeType: 'text/plain' }] } },
    output: { files: [{ id: 'a-1', name: 'A' }] },
  },
  googleSheets: {
    ...GOOGLE,
    address: 'https://sheets.googleapis.com',
    credential: 'google_sheets',
    values: signedIn,
    data: { gsOperation: 'readRange', gsSpreadsheetId: 'book-12', gsSheetName: 'Sheet1', gsHasHeader: true },
    call: "GET /v4/spreadsheets/book-12/values/'Sheet1'!A1:ZZZ",
    answer: { body: { values: [['Name'], ['Zoë']] } },
    output: { rows: [{ Name: 'Zoë' }], total: 1 },
  },
  bigquery: {
    ...GOOGLE,
    address: 'https://bigquery.googleapis.com',
    credential: 'bigquery',
    values: signedIn,
    data: { bqOperation: 'query', bqProjectId: 'proj-1', bqQuery: 'SELECT 7 AS id' },
    call: 'POST /bigquery/v2/projects/proj-1/queries',
    answer: {
      body: {
        jobComplete: true,
        jobReference: { projectId: 'proj-1', jobId: 'job-1' },
        schema: { fields: [{ name: 'id', type: 'INTEGER' }] },
        rows: [{ f: [{ v: '7' }] }],
        totalRows: '1',
      },
    },
    output: { rows: [{ id: 7 }] },
  },
  linear: {
    why: 'Linear has one address, and the credential holds the key alone',
    address: 'https://api.linear.app',
    credential: 'linear',
    values: { api_key: 'key-of-linear' },
    data: { linearOperation: 'listTeams' },
    call: 'POST /graphql',
    header: ['authorization', 'key-of-linear'],
    answer: {
      body: {
        data: {
          teams: { nodes: [{ id: 't1', name: 'Core' }], pageInfo: { hasNextPage: false, endCursor: null } },
        },
      },
    },
    output: { teams: [{ id: 't1', name: 'Core' }] },
  },
  notion: {
    why: 'Notion has one address, and the credential holds the token alone',
    address: 'https://api.notion.com',
    credential: 'notion',
    values: { auth_mode: 'internal', api_token: 'token-of-notion' },
    data: { notionOperation: 'search', notionQuery: 'Plan' },
    call: 'POST /v1/search',
    header: ['authorization', 'Bearer token-of-notion'],
    answer: {
      body: { object: 'list', results: [{ object: 'page', id: 'p1' }], has_more: false, next_cursor: null },
    },
    output: { results: [{ id: 'p1' }] },
  },
};

/** Stores the credential in the product, then runs the node here. */
async function runHere(world: SmokeWorld, type: string, host: FixedHost): Promise<void> {
  const id = await world.store(host.credential, host.values);
  const [name, value] = host.header;
  const server = await serveJson(({ method, path, headers }) =>
    headers[name]?.startsWith(value) &&
    `${method} ${decodeURIComponent(path)}` === decodeURIComponent(host.call)
      ? host.answer
      : { status: 404, body: { message: `${method} ${path}` } },
  );
  const services = { http: egressTo(host.address, server.url) };
  const credentials = { [id]: { type: host.credential, values: host.values } };
  const result = await runNode(type, { ...host.data, credentialId: id }, { services, credentials });
  expect(result).toMatchObject({ output: host.output });
}

export const fixedHostCases: SmokeCases = Object.fromEntries(
  Object.entries(FIXED_HOSTS).map(([type, host]) => [
    type,
    (world: SmokeWorld) => runHere(world, type, host),
  ]),
);
