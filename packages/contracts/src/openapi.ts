import { z } from 'zod';
import type { AnyEndpoint, Method } from './endpoint.ts';
import { ERROR_STATUS, type ErrorCode, errorBody } from './error-body.ts';

type Schema = Record<string, unknown>;

const SECURITY = {
  session: [{ session_cookie: [] }, { bearer: [] }],
  admin: [{ session_cookie: [] }, { bearer: [] }],
  optional_session: [{}, { session_cookie: [] }, { bearer: [] }],
  none: [],
  own: [],
} as const;

const SECURITY_SCHEMES = {
  session_cookie: { type: 'apiKey', in: 'cookie', name: 'access_token' },
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
};

/** Collects schemas that carry an id under `components` and refers to them. */
class Components {
  readonly schemas: Record<string, Schema> = {};

  read(schema: z.ZodType, io: 'input' | 'output'): Schema {
    const json = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      target: 'draft-2020-12',
      override: ({ jsonSchema }) => {
        delete (jsonSchema as Schema)['field'];
      },
    }) as Schema;
    return this.lift(json, io);
  }

  private lift(json: Schema, io: 'input' | 'output'): Schema {
    const {
      $schema: _,
      $defs,
      ...rest
    } = json as { $schema?: unknown; $defs?: Record<string, Schema> } & Schema;
    const suffix = io === 'input' ? 'Input' : '';
    const rename = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(rename);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) =>
          key === '$ref' && typeof item === 'string'
            ? [key, `${item.replace('#/$defs/', '#/components/schemas/')}${suffix}`]
            : [key, rename(item)],
        ),
      );
    };
    for (const [name, definition] of Object.entries($defs ?? {})) {
      this.schemas[`${name}${suffix}`] = rename(definition) as Schema;
    }
    return rename(rest) as Schema;
  }
}

function parameters(components: Components, endpoint: AnyEndpoint): Schema[] {
  const list: Schema[] = [];
  for (const [place, schema] of [
    ['path', endpoint.params],
    ['query', endpoint.query],
  ] as const) {
    if (!schema) continue;
    const json = components.read(schema, 'input') as {
      properties?: Record<string, Schema>;
      required?: string[];
    };
    for (const [name, property] of Object.entries(json.properties ?? {})) {
      list.push({
        name,
        in: place,
        required: place === 'path' || (json.required?.includes(name) ?? false),
        schema: property,
      });
    }
  }
  return list;
}

function listErrorCodes(endpoint: AnyEndpoint): ErrorCode[] {
  const codes = new Set<ErrorCode>(endpoint.errors);
  if (endpoint.auth === 'session' || endpoint.auth === 'admin') codes.add('unauthenticated');
  if (endpoint.params || endpoint.query || endpoint.body) codes.add('invalid_input');
  if (endpoint.body || endpoint.body_limit !== undefined) codes.add('too_large');
  return [...codes];
}

/** Verbs whose requests carry their input in the query (§4.1). */
const WITHOUT_BODY: ReadonlySet<Method> = new Set(['GET', 'DELETE']);

/** A form with the file and texts beside it, such as the mapping of a table's columns. */
const UPLOAD_FORM: Schema = {
  type: 'object',
  required: ['file'],
  properties: { file: { type: 'string', contentMediaType: 'application/octet-stream' } },
  additionalProperties: { type: 'string' },
};

function requestBody(components: Components, endpoint: AnyEndpoint, hasBody: boolean): Schema {
  if (endpoint.upload) {
    const body = endpoint.upload === 'form_or_body' ? { 'application/zip': {} } : {};
    const content = { 'multipart/form-data': { schema: UPLOAD_FORM }, ...body };
    return { requestBody: { required: true, content } };
  }
  if (!endpoint.body || !hasBody) return {};
  const schema = components.read(endpoint.body, 'input');
  return { requestBody: { required: true, content: { 'application/json': { schema } } } };
}

function operation(components: Components, endpoint: AnyEndpoint, method: Method): Schema {
  const hasBody = method === endpoint.method || !WITHOUT_BODY.has(method);
  const status = endpoint.status ?? (endpoint.response || endpoint.kind ? 200 : 204);
  const media = endpoint.kind === 'stream' ? 'text/event-stream' : 'application/json';
  const content = endpoint.response
    ? { content: { [media]: { schema: components.read(endpoint.response, 'output') } } }
    : {};
  const responses: Schema = { [status]: { description: endpoint.summary, ...content } };
  for (const code of listErrorCodes(endpoint)) {
    responses[ERROR_STATUS[code]] = {
      description: code,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    };
  }
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    security: SECURITY[endpoint.auth],
    parameters: parameters(components, endpoint),
    ...requestBody(components, endpoint, hasBody),
    responses,
  };
}

/** The OpenAPI 3.1 document of the given endpoints. */
export function openApiDocument(
  endpoints: readonly AnyEndpoint[],
  info: { title: string; version: string },
): Schema {
  const components = new Components();
  // Collects it under its own id.
  components.read(errorBody, 'output');
  const paths: Record<string, Schema> = {};
  for (const endpoint of endpoints) {
    for (const [index, path] of [endpoint.path, ...(endpoint.aliases ?? [])].entries()) {
      for (const method of [endpoint.method, ...(endpoint.also_methods ?? [])]) {
        const described = operation(components, endpoint, method);
        const verb = method.toLowerCase();
        if (index > 0) described['operationId'] = `${endpoint.id}_alias_${index}`;
        // Operation ids are unique in a document.
        if (method !== endpoint.method)
          described['operationId'] = `${String(described['operationId'])}_${verb}`;
        paths[path] = { ...paths[path], [verb]: described };
      }
    }
  }
  return {
    openapi: '3.1.0',
    info,
    paths,
    components: { schemas: components.schemas, securitySchemes: SECURITY_SCHEMES },
  };
}
