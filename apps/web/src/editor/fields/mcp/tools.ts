import type { McpServerTool } from '@millrace/contracts';
import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { toText } from '../../../lib/json/to-text.ts';

/** The server that a node names, as far as it is known without a run; undefined with expressions, and with nothing. */
export function connectionIn(data: JsonObject): JsonObject | undefined {
  const credential_id = toText(data['credentialId']);
  if (credential_id !== '') return { credential_id };
  const { connection } = data;
  if (!isJsonObject(connection)) return undefined;
  const known = connection['transport'] === 'stdio' ? programIn(connection) : addressIn(connection);
  if (!known) return undefined;
  return JSON.stringify(known).includes('$') ? undefined : known;
}

function addressIn({
  transport = 'streamable_http',
  url = '',
  headers = {},
}: JsonObject): JsonObject | undefined {
  return toText(url).trim() === '' ? undefined : { transport, url, headers };
}

function programIn({ command = '', args = [], env = {}, packages = '', allowNetwork = false }: JsonObject) {
  const program: JsonObject = { transport: 'stdio', command, args, env, packages, allowNetwork };
  return toText(command).trim() === '' ? undefined : program;
}

/** An argument as the form shows it. */
export interface ToolArgument {
  readonly name: string;
  readonly description: string;
  /** Types of JSON Schema; empty for any. */
  readonly types: string;
  readonly choices: readonly string[];
  readonly required: boolean;
  /** Whether the tool takes it; stored values of others are shown, so that they can be removed. */
  readonly known: boolean;
}

/** The arguments of a tool in the order of its schema, then those that are stored beside them. */
export function listArguments(tool: McpServerTool | undefined, stored: JsonObject): ToolArgument[] {
  const schema = tool?.inputSchema ?? {};
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const named = Object.entries(properties).map(([name, about]) => ({
    ...describe(isJsonObject(about) ? about : {}),
    name,
    required: required.includes(name),
    known: true,
  }));
  const others = Object.keys(stored)
    .filter((name) => !Object.hasOwn(properties, name))
    .map((name) => ({ ...describe({}), name, required: false, known: tool === undefined }));
  return [...named, ...others];
}

function describe({ description, type, enum: values }: JsonObject) {
  return {
    description: toText(description),
    types: (Array.isArray(type) ? type : [type]).map((one: Json | undefined) => toText(one)).join(', '),
    choices: Array.isArray(values) ? values.map(toText) : [],
  };
}
