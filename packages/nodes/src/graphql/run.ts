import { isJsonObject, type Json, NodeFailure, toText } from '@millrace/engine';
import type { z } from 'zod';
import { implement, type NodeCall } from '../implement.ts';
import { callJson } from '../kit/integration/call-json.ts';
import { readObject, requiredText } from '../kit/integration/object-input.ts';
import { createCaller } from '../kit/integration/run-caller.ts';
import { webAddress } from '../kit/network/web-address.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { mappedObject } from '../kit/values/mapped-object.ts';
import { determineEffect, graphql } from './definition.ts';

type Params = z.output<typeof graphql.params>;

/** https://graphql.github.io/graphql-over-http: a service may answer errors of a request with these statuses too. */
const ANSWERS_OF_ERRORS = [400, 422];
const MOST_ERRORS = 3;

export const runGraphql = implement(graphql, async (call: NodeCall<Params>) => {
  const { params } = call;
  const { origin, host, pathname, search } = webAddress(params, 'endpoint');
  const query = requiredText(params, 'query');
  const variables = readObject({ ...params, variables: params.variables || '{}' }, VARIABLES);
  const operationName = params.operationName.trim();
  const { body } = await callJson(
    createCaller(call),
    { title: host, service: { base_url: origin, headers: readHeaders(params) }, sign_in: 'headers' },
    {
      method: 'POST',
      path: pathname + search,
      headers: { accept: 'application/graphql-response+json, application/json' },
      body: { query, variables, ...(operationName === '' ? {} : { operationName }) },
      effect: determineEffect(params),
      accepts: ANSWERS_OF_ERRORS,
    },
  );
  return { output: readData(body, host) };
});

const VARIABLES = { mode: '', raw: 'variables', selective: '' };

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function readHeaders({ headers }: Params): Record<string, string> {
  const written = Object.entries(mappedObject(headers, 'headers'));
  return Object.fromEntries(
    written.map(([name, value]) => {
      const text = toText(value).trim();
      if (HEADER_NAME.test(name) && !/[\r\n\0]/.test(text) && typeof value !== 'object')
        return [name.toLowerCase(), text];
      throw refusedParam('headers', `has "${name.slice(0, 40)}", which is no header with a text in one line`);
    }),
  );
}

/** The data of an answer; one with errors fails, for parts of what was asked for are missing then. */
function readData(body: Json, host: string) {
  const answer = isJsonObject(body) ? body : {};
  const { errors, data, extensions } = answer;
  if (Array.isArray(errors) && errors.length > 0) {
    const words = errors.slice(0, MOST_ERRORS).map(describeError).join('; ');
    // Data that came with the errors may hold what the flow can use in its error path.
    const details = { errors, data: data ?? null };
    throw new NodeFailure({ kind: 'upstream', message: `${host}: ${words}`, final: true, details });
  }
  if (data === undefined) {
    throw new NodeFailure({ kind: 'upstream', message: `${host} answered without data`, final: true });
  }
  return { data, ...(extensions === undefined ? {} : { extensions }) };
}

function describeError(error: Json): string {
  const words =
    isJsonObject(error) && typeof error['message'] === 'string' ? error['message'] : 'unknown error';
  const path =
    isJsonObject(error) && Array.isArray(error['path'])
      ? ` (${error['path'].map((part) => toText(part)).join('.')})`
      : '';
  return words.slice(0, 200) + path;
}
