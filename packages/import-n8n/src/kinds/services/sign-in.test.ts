import { Readable } from 'node:stream';
import type { JsonObject } from '@millrace/engine';
import type { EgressRequest } from '@millrace/nodes/runtime';
import { runNode } from '@millrace/nodes/testing';
import { expect, test } from 'vitest';
import { base, one } from '../../testing/converted.ts';

/** A name that neither a path nor a shell takes as it is. */
const NAME = `Ada's "API"`;
const GENERIC = (type: string) => ({ authentication: 'genericCredentialType', genericAuthType: type });
const PREDEFINED = (type: string) => ({
  authentication: 'predefinedCredentialType',
  nodeCredentialType: type,
});

function convertRequest(parameters: JsonObject, credentials: JsonObject) {
  return one(base('httpRequest'), 4.2, { url: 'https://a.example/x', ...parameters }, { credentials });
}

/** Headers of the request that the converted node sends with a credential that gives such text. */
async function sendWith(settings: JsonObject, value: string): Promise<Record<string, string>> {
  const seen: EgressRequest[] = [];
  const result = await runNode('http', settings, {
    inputs: { Before: { x: 1 } },
    names: { credentials: { [NAME]: value } },
    services: {
      http: {
        request: (request: EgressRequest) => {
          seen.push(request);
          return Promise.resolve({ status: 200, headers: {}, url: request.url, body: Readable.from([]) });
        },
        connect: () => Promise.reject(new Error('no connection')),
        resolveAddresses: () => Promise.resolve([]),
      },
    },
  });
  expect(result).toHaveProperty('output');
  return Object.fromEntries(seen[0]?.headers ?? []);
}

test.each<[string, JsonObject, string, Record<string, string>]>([
  ['httpHeaderAuth', GENERIC('httpHeaderAuth'), 'X-Key: abc', { 'X-Key': 'abc' }],
  ['httpBearerAuth', GENERIC('httpBearerAuth'), 'abc', { Authorization: 'Bearer abc' }],
  ['oAuth2Api', GENERIC('oAuth2Api'), 'abc', { Authorization: 'Bearer abc' }],
  ['httpBasicAuth', GENERIC('httpBasicAuth'), 'u:p', { Authorization: 'Basic dTpw' }],
  ['notionApi', PREDEFINED('notionApi'), 'abc', { Authorization: 'Bearer abc' }],
  ['spotifyOAuth2Api', PREDEFINED('spotifyOAuth2Api'), 'abc', { Authorization: 'Bearer abc' }],
  ['githubApi', PREDEFINED('githubApi'), 'abc', { Authorization: 'token abc' }],
  ['linearApi', PREDEFINED('linearApi'), 'abc', { Authorization: 'abc' }],
  ['httpHeaderAuth', { authentication: 'headerAuth' }, 'X-Key: abc', { 'X-Key': 'abc' }],
])(
  'a request signs in with the credential of the type %s by its name',
  async (type, parameters, value, headers) => {
    const { settings, lines } = convertRequest(parameters, {
      httpCustomAuth: { id: '2', name: 'Before' },
      [type]: { id: '1', name: NAME },
    });
    expect(await sendWith(settings, value)).toMatchObject(headers);
    expect(lines.filter((line) => line.includes('credential'))).toEqual([
      expect.stringContaining(`It signs in with the credential "${NAME}"`),
    ]);
  },
);

test.each<[string, JsonObject, JsonObject]>([
  ['in a way that commands do not have', GENERIC('httpDigestAuth'), { httpDigestAuth: { name: NAME } }],
  ['with a credential without a name', GENERIC('httpHeaderAuth'), { httpHeaderAuth: { id: '1' } }],
  ['as a service does whose way is unknown', PREDEFINED('acmeApi'), { acmeApi: { name: NAME } }],
  ['with another credential alone', GENERIC('httpHeaderAuth'), { httpBasicAuth: { name: NAME } }],
  ['without a credential', GENERIC('httpHeaderAuth'), {}],
])('a request that signs in %s asks for it', (_, parameters, credentials) => {
  const { settings, lines } = convertRequest(parameters, credentials);
  expect(settings['curl']).not.toContain('$credentials');
  expect(lines).toContainEqual(expect.stringContaining('Add the sign-in to the command'));
});

test('a request without a sign-in says nothing of one', () => {
  const { settings, lines } = convertRequest({}, {});
  expect(settings['curl']).not.toContain('$credentials');
  expect(lines.filter((line) => /sign|credential/.test(line))).toEqual([]);
});
