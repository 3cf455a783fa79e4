import type { Json, JsonObject } from '@millrace/engine';
import { isTemplate, mapScripts, onlyScript } from '../../expression/field.ts';
import type { Params } from '../../source/params.ts';
import { formatScalar, type SourceNode } from '../../source/source.ts';
import type { View } from '../../views/views.ts';
import { type Converted, type Kind, LOOP, NotConvertible, type Target, type ViewContext } from '../kind.ts';
import { builtJson, encodedPairs, FORM, inCommand, type Pair } from './http.ts';
import { quote } from './shell.ts';

/**
 * The request that an operation of n8n sends to the service; texts are as n8n writes them, with `=` before those with
 * expressions.
 */
export interface ServiceRequest {
  readonly method: 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT';
  readonly url: string;
  readonly query?: readonly (readonly [name: string, value: Json])[];
  readonly headers?: Readonly<Record<string, string>>;
  /** A value that is written as JSON; its texts may have expressions. */
  readonly json?: Json;
  readonly form?: readonly (readonly [name: string, value: Json])[];
  /** Arguments for the fields of a form with several parts. */
  readonly parts?: readonly string[];
  /** Code that stands in the address for `ADDED`. */
  readonly added?: string;
  /** The answer is a file. */
  readonly isFile?: boolean;
}

export interface ServiceOperation {
  request(to: Target): ServiceRequest;
  /** A request before it, whose label has that suffix. */
  readonly before?: { readonly suffix: string; readonly request: (to: Target) => ServiceRequest };
  /** The request is sent for each entry of that list in the answer to the one before it. */
  readonly forEach?: string;
  /** Where the first item and the list are in the answer, which is the body. */
  readonly view?: View | ((node: SourceNode, context: ViewContext) => View);
  /** Which parameters have no meaning for the request, besides those that it reads. */
  readonly ignores?: readonly string[];
}

/** The settings of a form before it is changed; `operations` by resource. */
export interface Usual {
  readonly resource: string;
  readonly operation: string;
  readonly operations?: Readonly<Record<string, string>>;
}

/** `resource.operation` of a node, whose form leaves out what is usual. */
export function operationKey(usual: Usual, resource: Json | undefined, operation: Json | undefined): string {
  const chosen = formatScalar(resource, usual.resource);
  const { operations = {} } = usual;
  const first = Object.hasOwn(operations, chosen) ? operations[chosen] : undefined;
  return `${chosen}.${formatScalar(operation, first ?? usual.operation)}`;
}

export interface RestService {
  readonly name: string;
  /** The name of the credential, or the whole header where it is no bearer token. */
  readonly signIn: { readonly credential: string; readonly header?: string; readonly inAddress?: boolean };
  readonly usual: Usual;
  readonly headers?: Readonly<Record<string, string>>;
  readonly operations: Readonly<Record<string, ServiceOperation>>;
  /** The operation of a node whose form has more settings that choose one. */
  findKey?(node: SourceNode): string | undefined;
}

/** How the form chose other parameters. */
const WITHOUT_MEANING = ['resource', 'operation', 'authentication', 'requestOptions', 'simple', 'simplify'];

/** A service without a node here is called over HTTP, as its published interface describes. */
export function restService({ name, signIn, usual, headers = {}, operations, findKey }: RestService): Kind {
  const toKey = (node: SourceNode): string =>
    findKey?.(node) ?? operationKey(usual, node.parameters['resource'], node.parameters['operation']);
  const found = (key: string): ServiceOperation | undefined =>
    Object.hasOwn(operations, key) ? operations[key] : undefined;
  return {
    hasLoop: (node) => found(toKey(node))?.forEach !== undefined,
    view: (node, _, context) => {
      const view = found(toKey(node))?.view ?? BODY;
      return typeof view === 'function' ? view(node, context) : view;
    },
    convert: (node, to) => {
      for (const key of WITHOUT_MEANING) to.params.get(key);
      const key = toKey(node);
      const operation = found(key);
      if (operation === undefined)
        throw new NotConvertible(`the operation "${key.replace('.', ': ')}" has no equal here`);
      if (operation.before !== undefined && node.type.endsWith('Tool'))
        throw new NotConvertible('a tool of an agent is one node here, and it takes several requests');
      const request = operation.request(to);
      for (const path of operation.ignores ?? []) to.params.get(path);
      const { credential } = signIn;
      const needs =
        credential === '' ? '' : `; make a credential named "${credential}" with its key or token`;
      to.say(`It is a request to ${name} here${needs}`, 'curl');
      const authorization = signIn.header ?? `Authorization: Bearer $credentials.${signIn.credential}`;
      const sent: Sent = {
        credential,
        headers: { ...headers, ...(signIn.inAddress === true ? {} : { [AUTHORIZATION]: authorization }) },
      };
      const made = requestNode(to, request, sent);
      if (operation.before === undefined) return made;
      const { suffix, request: build } = operation.before;
      const before = [{ suffix, ...requestNode(to, build(to), sent) }];
      if (operation.forEach === undefined) return { ...made, before };
      const arrayExpression = `$${to.stepLabel(suffix)}.body${operation.forEach} ?? []`;
      return { ...made, before, loop: { suffix: LOOP, type: 'loop', data: { arrayExpression } } };
    },
  };
}

const AUTHORIZATION = '';
/** The body of the answer is what n8n hands on. */
export const BODY: View = { first: '.body', list: '.body' };

/** Entries of a list in the answer. */
export const listIn = (path: string): View => ({ first: `.body${path}[0]`, list: `.body${path}` });

/** One object inside of the answer. */
export const inside = (path: string): View => ({ first: `.body${path}` });

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly credential: string;
}

function requestNode(to: Target, request: ServiceRequest, { headers: more, credential }: Sent): Converted {
  const { method, url, query = [], headers = {}, json, form, parts = [], isFile = false } = request;
  const sent = toPairs(query.filter(([, value]) => value !== '' && value !== null));
  const written = inCommand(to, url)
    .replaceAll(SECRET, () => `$credentials.${credential}`)
    .replaceAll(ADDED, () => `$${request.added}`);
  const address = `${written}${sent.length === 0 ? '' : `?${encodedPairs(to, sent)}`}`;
  const lines = Object.entries({ ...more, ...headers }).map(([name, value]) =>
    quote(name === AUTHORIZATION ? value : `${name}: ${inCommand(to, value)}`),
  );
  const type = json === undefined ? (form === undefined ? undefined : FORM) : 'application/json';
  const body =
    json === undefined
      ? form === undefined
        ? undefined
        : encodedPairs(to, toPairs(form))
      : builtJson(to, json);
  const command = [
    `curl -X ${method}`,
    quote(address),
    ...lines.map((line) => `-H ${line}`),
    ...(type === undefined ? [] : [`-H ${quote(`Content-Type: ${type}`)}`]),
    ...(body === undefined ? [] : [`--data-raw ${quote(body)}`]),
    ...parts,
  ];
  const responseBody = isFile ? { responseBody: 'base64' } : {};
  return { type: 'http', data: { curl: command.join(' '), failOnErrorStatus: true, ...responseBody } };
}

const toPairs = (rows: readonly (readonly [string, Json])[]): Pair[] =>
  rows.map(([name, value]) => ({ name, value }));

/** A value as one step of a path, without the `=` of a template. */
export const inPath = (value: string): string =>
  isTemplate(value)
    ? mapScripts(value.slice(1).trim(), (script) => `encodeURIComponent(String(${script}))`)
    : encodeURIComponent(value);

/** An address with values in its path, which may be expressions: a value with slashes is one step of the path. */
export function at(texts: TemplateStringsArray, ...values: readonly string[]): string {
  const isScript = values.some(isTemplate);
  return `${isScript ? '=' : ''}${texts.map((text, index) => `${text}${index < values.length ? inPath(values[index] ?? '') : ''}`).join('')}`;
}

interface Page {
  /** The number that the form is set to before it is changed. */
  readonly usual: number;
  /** The number that the service gives at once. */
  readonly most: number;
  readonly least?: number;
  readonly isAll?: boolean;
}

/** How many entries are asked for; n8n asks for the next page as well. */
export function pageSize(to: Target, { usual, most, least = 1, ...page }: Page): Json {
  const isAll = page.isAll ?? to.params.flag('returnAll');
  const written = isAll ? '' : to.params.text('limit');
  const asked = isAll ? most : to.params.number('limit', usual);
  if (isAll || isTemplate(written) || asked > most)
    to.say(`It gets at most ${most} entries here, which is one page`, 'curl');
  const script = onlyScript(written);
  if (script !== undefined) return `={{ Math.max(Math.min(Number(${script}), ${most}), ${least}) }}`;
  if (isTemplate(written)) return written;
  return Math.max(Math.min(asked, most), least);
}

/** A parameter that the request cannot do without, under one of its names. */
export function needed(to: Target, ...paths: readonly string[]): string {
  const text = paths.map((path) => to.params.text(path)).find((found) => found !== '');
  if (text === undefined) to.say(`Its "${paths[0] ?? ''}" is empty in the export, too; enter it`, 'curl');
  return text ?? '';
}

/** A placeholder in the address for a value that n8n has in its credential. */
export const SECRET = '\uE002';

/** A placeholder in the address for what the request before it has answered. */
export const ADDED = '\uE003';

/** Settings of an object that are set; keys of n8n may have other names at the service. */
export function setIn(params: Params, path: string, names: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(
    Object.entries(names).flatMap(([key, name]): [string, Json][] => {
      const value = params.get(`${path}${path === '' ? '' : '.'}${key}`);
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}
