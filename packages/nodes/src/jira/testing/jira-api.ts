import type { Json, JsonObject } from '@millrace/engine';
import type { SeenRequest, ServerAnswer } from '../../testing/servers/json-server.ts';
import { runAtService } from '../../testing/servers/test-service.ts';

/** Answers by verb and path below the address of the site. */
export type Routes = Readonly<Record<string, ServerAnswer | ((request: SeenRequest) => ServerAnswer)>>;

export interface Options {
  readonly inputs?: Record<string, Json>;
  /** Of the credential, beside the address, the token and the e-mail address. */
  readonly config?: JsonObject;
}

const CLOUD = `Basic ${Buffer.from('zoe@example.com:tok_canary').toString('base64')}`;

/**
 * Answers what is in `routes` to calls that are signed as https://developer.atlassian.com/cloud/jira/platform/basic-auth-for-rest-apis/
 * and https://confluence.atlassian.com/enterprise/using-personal-access-tokens-1026032365.html describe, and that carry JSON or, with
 * the header that permits it, a form.
 */
export function jiraApi(routes: Routes, isServer = false) {
  return (request: SeenRequest): ServerAnswer => {
    const { method, path, headers, body } = request;
    if (headers['authorization'] !== (isServer ? 'Bearer tok_canary' : CLOUD))
      return { status: 401, body: { errorMessages: ['You are not authenticated.'], errors: {} } };
    const type = headers['content-type'] ?? '';
    const isForm = type.startsWith('multipart/form-data; boundary=');
    if (isForm && headers['x-atlassian-token'] !== 'no-check')
      return { status: 403, body: 'XSRF check failed' };
    if (!isForm && body !== '' && type !== 'application/json') return { status: 415 };
    const route = routes[`${method} ${path}`];
    if (route === undefined)
      return { status: 404, body: { errorMessages: ['It does not exist.'], errors: {} } };
    return typeof route === 'function' ? route(request) : route;
  };
}

/** Runs the node against a site of one test. */
export function runJira(data: JsonObject, routes: Routes, { inputs = {}, config = {} }: Options = {}) {
  const api = jiraApi(routes, config['deployment'] === 'server');
  return runAtService(
    { node: 'jira', credential: 'jira', api },
    { jiraIssueKey: 'ENG-1', ...data },
    {
      values: (url) => ({
        email: 'zoe@example.com',
        api_token: 'tok_canary',
        base_url: `${url}/`,
        deployment: 'cloud',
        ...config,
      }),
      inputs,
    },
  );
}
