import type { SourceNode } from '../source/source.ts';
import { ai } from './ai/ai.ts';
import { classify } from './ai/classify.ts';
import { isModel } from './ai/parts.ts';
import { stores } from './ai/stores.ts';
import { tools } from './ai/tools.ts';
import { code } from './code/code.ts';
import { data } from './data/data.ts';
import { files } from './data/files.ts';
import { transforms } from './data/transforms.ts';
import { flow } from './flow/flow.ts';
import type { Kind } from './kind.ts';
import { airtable } from './services/airtable.ts';
import { channels } from './services/channels.ts';
import { google } from './services/google.ts';
import { http } from './services/http.ts';
import { services } from './services/services.ts';
import { sites } from './services/sites.ts';
import { databases } from './tables/databases.ts';
import { tables } from './tables/tables.ts';
import { hooks } from './triggers/hooks.ts';
import { triggers } from './triggers/triggers.ts';

/** Services that are called over HTTP here. */
const REST: Readonly<Record<string, Kind>> = { airtable, ...channels, ...google, ...sites };

const KINDS: Readonly<Record<string, Kind>> = {
  ...triggers,
  ...hooks,
  ...flow,
  ...data,
  ...code,
  ...databases,
  ...services,
  ...ai,
  ...classify,
  ...tools,
  ...stores,
  ...tables,
  ...transforms,
  ...files,
  ...REST,
  httpRequest: http,
};

/** Types of n8n, without their package, that have an equal here. */
export const kindNames: readonly string[] = Object.keys(KINDS);

/** Types that have a twin for agents, such as `gmailTool` of `gmail`. */
const TOOLS: Readonly<Record<string, Kind>> = {
  ...databases,
  ...services,
  ...tables,
  ...transforms,
  ...REST,
  httpRequest: http,
};
const TOOL = /Tool$/;

/** How nodes of a type of n8n become nodes here; undefined for types that have no equal. */
export function findKind(type: string): Kind | undefined {
  if (Object.hasOwn(KINDS, type)) return KINDS[type];
  const twin = type.replace(TOOL, '');
  return twin !== type && Object.hasOwn(TOOLS, twin) ? TOOLS[twin] : undefined;
}

/** Why a node has no equal here. */
export function explainNotConvertible(node: SourceNode): string {
  if (isModel(node)) return 'a model is a part of the agent or the chain that uses it';
  if (/^memory[A-Z]/.test(node.type))
    return 'conversations are kept by the chat portal here, and have no other key';
  if (/^(outputParser|embeddings|vectorStore|tool)/.test(node.type)) {
    return 'parts of agents of this type have no equal here';
  }
  return `there is no node for "${node.type}"`;
}
