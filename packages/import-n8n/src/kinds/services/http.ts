import { isJsonObject, type Json, type JsonObject, printValue, readText } from '@millrace/engine';
import { isTemplate } from '../../expression/field.ts';
import { asText, type Code } from '../../expression/value.ts';
import { jsonIn } from '../../source/depth.ts';
import { formatScalar, type SourceNode } from '../../source/source.ts';
import { ANSWER, ANSWERED_BODY, fileName, fileObject, viewOfFile } from '../data/file-codes.ts';
import { type Kind, NotConvertible, type Target } from '../kind.ts';
import { hasPages, type ImportedPages, readPages } from './http-pages.ts';
import { quote, withoutQuotes } from './shell.ts';
import { signInOptions } from './sign-in.ts';

const FIELD = 'curl';

export const inCommand = (to: Target, text: string): string => to.template(text, FIELD, withoutQuotes);

export interface Pair {
  readonly name: string;
  readonly value: Json;
}

/** Names and values at one of the places where versions of the node have them. */
function pairsAt({ params }: Target, paths: readonly string[]): Pair[] {
  return paths.flatMap((path) => {
    const rows = params.rows(path);
    params.get(path.split('.')[0] ?? path);
    return rows.flatMap((row): Pair[] => {
      const name = readText(row['name']);
      return name === '' ? [] : [{ name, value: row['value'] ?? '' }];
    });
  });
}

/** A fixed object in a parameter that holds JSON, as names and values. */
function pairsOfJson(text: string): Pair[] {
  try {
    const stored = jsonIn(text.replace(/^=/, ''));
    if (!isJsonObject(stored)) throw new NotConvertible('its JSON is not an object');
    return Object.entries(stored).map(([name, value]) => ({
      name,
      value: typeof value === 'string' && value.includes('{{') ? `=${value}` : value,
    }));
  } catch {
    throw new NotConvertible('its headers or its query are one expression');
  }
}

/** `a=1&b=2` with every value encoded. */
export function encodedPairs(to: Target, pairs: readonly Pair[]): string {
  return pairs
    .map(({ name, value }) => {
      const key = encodeURIComponent(name);
      if (!hasExpression(value)) return `${key}=${encodeURIComponent(printValue(value))}`;
      return `${key}=$${withoutQuotes(asText(builtCode(to, value)))}.urlEncode()`;
    })
    .join('&');
}

/** A value whose texts may have expressions, as JSON of a command. */
export function builtJson(to: Target, value: Json): string {
  if (!hasExpression(value)) return inCommand(to, JSON.stringify(value));
  return `$${withoutQuotes(`array(${builtCode(to, value).code})`)}.first()`;
}

function hasExpression(value: Json): boolean {
  if (typeof value === 'string') return isTemplate(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasExpression);
}

function builtCode(to: Target, value: Json): Code {
  if (Array.isArray(value))
    return { form: 'other', code: `[${value.map((item) => builtCode(to, item).code).join(', ')}]` };
  if (!isJsonObject(value)) return to.code(value);
  const entries = Object.entries(value).map(
    ([key, item]) => `${to.code(key).code}: ${builtCode(to, item).code}`,
  );
  return { form: 'other', code: `{${entries.join(', ')}}` };
}

/** The object of the pairs of a form, as JSON. */
const jsonBody = (to: Target, pairs: readonly Pair[]): string =>
  builtJson(to, Object.fromEntries(pairs.map(({ name, value }) => [name, value])));

interface Body {
  readonly text: string;
  readonly type: string;
  /** Arguments that send it otherwise than as one text; they set the type, too. */
  readonly fields?: readonly string[];
}

/** A file of the items, as an argument names it behind an `@`. */
function inFile(to: Target, name: string, renamed?: Code): string {
  const made = to.made(() => fileObject(to, name, renamed));
  if (made === undefined) throw new NotConvertible('its file cannot be read here');
  return `@${withoutQuotes(made)}`;
}

/** A field of a form that is a file, which may be sent under another name. */
export const fileField = (to: Target, field: string, { name, renamed }: { name: string; renamed?: Code }) =>
  `-F ${quote(`${field}=${inFile(to, name, renamed)}`)}`;

/** A field of a form with a value. */
export const textField = (to: Target, field: string, value: Json): string =>
  `--form-string ${quote(`${field}=${inCommand(to, printValue(value))}`)}`;

/** A body that is one file, with the type of that file. */
const fileBody = (to: Target, name: string): Body => ({
  text: '',
  type: '',
  fields: [`--data-binary ${quote(inFile(to, name))}`],
});

/** Fields of a form with several parts, which are texts or files of the items. */
function readForm(to: Target): Body {
  const rows = [
    ...to.params.rows('bodyParameters.parameters'),
    ...to.params.rows('bodyParametersUi.parameter'),
  ];
  const fields = rows.flatMap((row) => {
    const stored = readText(row['name']);
    if (stored === '') return [];
    const name = inCommand(to, stored);
    if (
      stored
        .replaceAll(/\{\{.*?\}\}/gs, '')
        .replace(/^=/, '')
        .includes('=')
    )
      throw new NotConvertible(`its form has a field named "${stored}", which a command cannot have`);
    if (formatScalar(row['parameterType']) === 'formBinaryData')
      return [fileField(to, name, { name: fileName(row['inputDataFieldName']) })];
    return [textField(to, name, row['value'] ?? '')];
  });
  return { text: '', type: '', fields };
}

/** Files as versions before 3 name them: `data`, or `field:data` of one or of several. */
function readOldFiles(to: Target, type: string): Body {
  const names = to.params.text('binaryPropertyName', 'data');
  if (type === 'raw') return fileBody(to, names);
  if (type !== 'multipart-form-data')
    throw new NotConvertible(`it sends a file as "${type}", which n8n refuses`);
  const fields = names.split(',').map((written, index, all) => {
    const [field = '', name] = written.trim().split(':');
    if (name === undefined && all.length > 1)
      throw new NotConvertible('it sends several files, and names no field for one of them');
    const [key, file] = name === undefined ? ['file', field] : [field, name];
    return fileField(to, key, { name: file });
  });
  return { text: '', type: '', fields };
}

export const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

/** The body as versions since 3 have it. */
function readBody(to: Target): Body | undefined {
  const { params } = to;
  if (!params.flag('sendBody')) return undefined;
  const type = params.text('contentType', 'json');
  const pairs = pairsAt(to, ['bodyParameters.parameters']);
  if (type === 'raw') {
    return { text: inCommand(to, params.text('body')), type: params.text('rawContentType', 'text/plain') };
  }
  if (type === 'binaryData') return fileBody(to, fileName(params.get('inputDataFieldName')));
  const how = params.text('specifyBody', 'keypair');
  if (type === 'form-urlencoded') {
    const text = how === 'string' ? inCommand(to, params.text('body')) : encodedPairs(to, pairs);
    return { text, type: FORM };
  }
  if (type === 'multipart-form-data') return readForm(to);
  if (type !== 'json') throw new NotConvertible(`its body is "${type}"`);
  return {
    text: how === 'json' ? writtenJson(to, toJsonText(params.get('jsonBody'))) : jsonBody(to, pairs),
    type: JSON_TYPE,
  };
}

/** Forms store JSON as text; nodes that a program made may have the value itself. */
const toJsonText = (stored: Json | undefined): string =>
  typeof stored === 'string' ? stored : stored === undefined ? '' : JSON.stringify(stored);

/** JSON text with expressions, as text for the command. */
function writtenJson(to: Target, text: string): string {
  const value = to.json(text, FIELD);
  if (value === text) return inCommand(to, text);
  return withoutQuotes(value.startsWith('$(') ? `$array${value.slice(1)}.first()` : value);
}

/** Methods for which versions before 3 offer to send a file. */
const TAKES_FILES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** The body as versions before 3 have it. */
function readOldBody(to: Target): Body | undefined {
  const { params } = to;
  const pairs = pairsAt(to, ['bodyParametersUi.parameter']);
  const type = params.text('options.bodyContentType', 'json');
  if (params.flag('jsonParameters')) {
    if (params.flag('sendBinaryData') && TAKES_FILES.has(params.text('requestMethod')))
      return readOldFiles(to, type);
    const text = toJsonText(params.get('bodyParametersJson'));
    return text === '' ? undefined : { text: writtenJson(to, text), type: JSON_TYPE };
  }
  if (pairs.length === 0) return undefined;
  if (type === 'form-urlencoded') return { text: encodedPairs(to, pairs), type: FORM };
  if (type === 'multipart-form-data') return readForm(to);
  if (type !== 'json') throw new NotConvertible(`its body is "${type}"`);
  return { text: jsonBody(to, pairs), type: JSON_TYPE };
}

function namedPairs(to: Target, part: 'query' | 'header'): Pair[] {
  const { params } = to;
  const upper = part === 'query' ? 'Query' : 'Headers';
  const pairs = pairsAt(to, [`${part}Parameters.parameters`, `${part}ParametersUi.parameter`]);
  const isOff = params.get(`send${upper}`) === false;
  params.get(`specify${upper}`);
  const json =
    params.text(part === 'query' ? 'jsonQuery' : 'jsonHeaders') || params.text(`${part}ParametersJson`);
  if (isOff) return [];
  return json === '' ? pairs : pairsOfJson(json);
}

/** Parameters that say how others are written, and settings without a meaning for one request. */
const WITHOUT_MEANING =
  `jsonParameters options.response options.bodyContentType responseFormat dataPropertyName provideSslCertificates
  sendBinaryData binaryPropertyName inputDataFieldName`.split(/\s+/);

/** Versions differ in what they do when nothing is set. */
function followsRedirects({ params }: Target, version: number): boolean {
  const set = params.get('options.redirect.redirect.followRedirects') ?? params.get('options.followRedirect');
  params.get('options.redirect');
  return typeof set === 'boolean'
    ? set
    : version < 3 || version >= 4 || params.flag('options.followAllRedirects');
}

/** Of a request here, in milliseconds. */
const MOST_TIME_MS = 300_000;

/** The limit of time, which curl has in seconds. */
function readTimeLimit(to: Target): string[] {
  const limit = to.params.number('options.timeout', 0);
  if (limit <= 0) return [];
  if (limit > MOST_TIME_MS) to.say(`A request may take at most ${MOST_TIME_MS / 1000} seconds here`, FIELD);
  return [`-m ${Math.min(limit, MOST_TIME_MS) / 1000}`];
}

function buildCommand(to: Target, node: SourceNode, page: ImportedPages['first']): string {
  const { params } = to;
  const method = params.text('method') || params.text('requestMethod') || 'GET';
  const asked = namedPairs(to, 'query');
  const query = page ? [...asked.filter(({ name }) => name !== page.name), page] : asked;
  const headers = namedPairs(to, 'header');
  const body = readBody(to) ?? readOldBody(to);
  const url = inCommand(to, params.text('url'));
  const address =
    query.length === 0 ? url : `${url}${url.includes('?') ? '&' : '?'}${encodedPairs(to, query)}`;
  // n8n replaces a written type of a form, which lacks the boundary.
  const isForm = body?.fields?.some((field) => /^(?:-F|--form-string) /.test(field)) === true;
  const written = headers
    .filter((header) => !(isForm && isContentType(header)))
    .map(({ name, value }) => {
      return `-H ${quote(`${name}: ${inCommand(to, printValue(value))}`)}`;
    });
  const hasType = headers.some(isContentType);
  const type =
    body === undefined || hasType || body.fields !== undefined
      ? []
      : [`-H ${quote(`Content-Type: ${body.type}`)}`];
  const data = body === undefined ? [] : (body.fields ?? [`--data-raw ${quote(body.text)}`]);
  const command = followsRedirects(to, node.version) ? 'curl -L' : 'curl';
  const options = [...readTimeLimit(to), ...signInOptions(node, to)];
  return [command, `-X ${method}`, ...options, quote(address), ...written, ...type, ...data].join(' ');
}

const isContentType = ({ name }: Pair): boolean => name.toLowerCase() === 'content-type';

/** The settings of all versions for the answer. */
function readResponse(parameters: JsonObject): { format: string; name: string; isFull: boolean } {
  const options = isJsonObject(parameters['options']) ? parameters['options'] : {};
  const outer = isJsonObject(options['response']) ? options['response'] : {};
  const inner = isJsonObject(outer['response']) ? outer['response'] : {};
  return {
    format: readText(inner['responseFormat']) || readText(parameters['responseFormat']),
    name: readText(inner['outputPropertyName']) || readText(parameters['dataPropertyName']) || 'data',
    isFull: inner['fullResponse'] === true || options['fullResponse'] === true,
  };
}

export const http: Kind = {
  view: ({ parameters }, _output, context) => {
    const { format, name, isFull } = readResponse(parameters);
    if (hasPages(parameters)) return { first: '.body[0]', list: '.body' };
    const made = format === 'file' ? viewOfFile(name, ANSWER) : undefined;
    if (isFull) return { renamed: { statusCode: 'status' }, ...(made ? { made } : {}) };
    // Beside the file, the item stays as it came; those of a list are in the results of the loop, without their fields.
    if (made) return context.getsList() ? { made } : { adds: Object.keys(made), made };
    if (format !== 'text' && format !== 'string')
      return { first: '.body', list: '.body', made: viewOfFile(name, ANSWERED_BODY) };
    // Text is one field of the item in n8n, and the whole of the body here.
    return { renamed: { [name]: 'body' } };
  },
  convert: (node, to) => {
    const { params } = to;
    for (const path of WITHOUT_MEANING) params.get(path);
    const method = params.text('method') || params.text('requestMethod') || 'GET';
    if (!/^[A-Z]+$/.test(method)) throw new NotConvertible('its method is an expression');
    const response = readResponse(node.parameters);
    const pages = readPages(to, response);
    const failOnErrorStatus = !params.flag('options.response.response.neverError');
    // The bytes of a file stay as they are, also those of JSON.
    const responseBody = response.format === 'file' ? { responseBody: 'base64' } : {};
    const curl = buildCommand(to, node, pages?.first);
    return { type: 'http', data: { curl, failOnErrorStatus, ...responseBody, ...pages?.data } };
  },
};
