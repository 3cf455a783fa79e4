import { fieldMeta, isJsonObject, type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import type { ToolDefinition } from '@millrace/models';
import type { Helper } from '../../helpers.ts';
import { refusedParam } from '../../kit/refused-param.ts';
import { readsOutside } from '../../kit/runs/outside-content.ts';
import { parsedJson } from '../../kit/text/parsed-json.ts';
import {
  type AgentCall,
  orFailedResult,
  recordedEffects,
  type Tool,
  toolName,
  type Used,
  usedInOneStep,
  usedInSteps,
} from './tool.ts';

/** Fields whose text is JSON, which a model writes as such. */
const JSON_KINDS: ReadonlySet<string> = new Set([
  'json',
  'mappings',
  'cases',
  'input_fields',
  'mcp_arguments',
]);
/** Fields that an agent must not choose: they say as whom and where something is done. */
const RESERVED_KINDS: ReadonlySet<string> = new Set(['credential', 'hidden', 'mcp_connection']);

/** The nodes on the agent's tool handle. */
export function nodeTools(call: AgentCall): Tool[] {
  return call.helpers.tools.map((helper) => {
    if (!helper.definition.traits.as_tool) {
      throw refusedParam(
        'tools',
        `"${helper.label}" (${helper.definition.title}) cannot be used as a tool; remove its edge to the agent`,
      );
    }
    const fields = givenFields(helper);
    const { effect } = call.helpers.prepare(helper, { key: '', inputs: [], given: {} });
    // Fields that the agent fills in can change the effect of some types.
    const isFixed = typeof helper.definition.effect !== 'function' || fields.length === 0;
    return {
      definition: buildDefinition(helper, fields),
      source: 'node_tool',
      title: helper.label,
      is_outside:
        readsOutside(helper) ||
        // Fields that the agent fills in can give the node a network.
        (typeof helper.definition.traits.returns_outside_content === 'function' && fields.length > 0),
      ignores_others: true,
      is_parallel: isFixed && (effect === 'pure' || effect === 'read'),
      touches: !isFixed ? 'changes' : effect === 'pure' ? 'nothing' : effect === 'read' ? 'reads' : 'changes',
      use: (input, key) => orFailedResult(call, useNode(call, { helper, fields, input, key })),
    };
  });
}

interface GivenField {
  readonly name: string;
  readonly schema: JsonObject;
  readonly is_json: boolean;
}

/** The fields that the node leaves to the agent. */
function givenFields({ data, definition }: Helper): GivenField[] {
  const names = data['agentProvidedFields'];
  if (!Array.isArray(names)) return [];
  const shape = definition.params.shape;
  return names.flatMap((name): GivenField[] => {
    if (typeof name !== 'string' || name === '') return [];
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
    const meta = schema && fieldMeta(schema);
    if (meta && RESERVED_KINDS.has(meta.kind)) return [];
    const description = [meta?.title ?? name, meta?.help, meta?.placeholder && `Such as: ${meta.placeholder}`]
      .filter((text) => text !== undefined && text !== '')
      .join('. ');
    const is_json = meta !== undefined && JSON_KINDS.has(meta.kind);
    return [{ name, is_json, schema: { ...buildTypeSchema(meta, is_json), description } }];
  });
}

function buildTypeSchema(meta: ReturnType<typeof fieldMeta>, is_json: boolean): JsonObject {
  if (is_json) return { type: ['string', 'object', 'array'] };
  if (meta?.kind === 'number') return { type: ['number', 'string'] };
  if (meta?.kind === 'boolean') return { type: ['boolean', 'string'] };
  if (meta?.choices) return { type: 'string', enum: meta.choices.map(({ value }) => value) };
  return { type: 'string' };
}

/** Providers refuse longer ones. */
const MOST_CHARACTERS = 1024;

/** The description of the tool by the author of the workflow, else what the type of the node does. */
function describeHelper({ label, definition, data }: Helper): string {
  const written = data['toolDescription'];
  const text = typeof written === 'string' && written.trim() !== '' ? written.trim() : definition.summary;
  return `${label}: ${text}`.slice(0, MOST_CHARACTERS);
}

function buildDefinition(helper: Helper, fields: readonly GivenField[]): ToolDefinition {
  return {
    name: toolName(helper.label),
    description: describeHelper(helper),
    input_schema: {
      type: 'object',
      properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
      required: fields.map(({ name }) => name),
      additionalProperties: false,
    },
  };
}

interface Use {
  readonly helper: Helper;
  readonly fields: readonly GivenField[];
  readonly input: JsonObject;
  readonly key: string;
}

async function useNode(call: AgentCall, { helper, fields, input, key }: Use): Promise<Used> {
  const given = Object.fromEntries(
    fields.flatMap(({ name, is_json }): [string, Json][] => {
      const value = Object.hasOwn(input, name) ? input[name] : undefined;
      return value === undefined ? [] : [[name, is_json ? parsed(name, value) : value]];
    }),
  );
  const { effect, run } = call.helpers.prepare(helper, { key, inputs: [], given });
  if (effect === 'steps') return usedInSteps(call, key, () => awaitOutcome(run()));
  const limit_ms = call.params.toolTimeoutSeconds * 1_000;
  return call.step<Used>(key, effect, () =>
    usedInOneStep(call, () => within(limit_ms, (signal) => awaitOutcome(run(signal)))),
  );
}

function parsed(name: string, value: Json): Json {
  if (typeof value !== 'string') return value;
  const json = parsedJson(value);
  if (json === undefined) throw refusedParam(name, `${name} is not valid JSON`);
  return json;
}

async function awaitOutcome(
  run: ReturnType<ReturnType<AgentCall['helpers']['prepare']>['run']>,
): Promise<Omit<Used, 'elapsed_ms'>> {
  const result = await run;
  if ('failure' in result) throw new NodeFailure(result.failure);
  if ('suspension' in result) throw new Error('a called node waits through its caller');
  const { output } = result;
  return {
    result: isJsonObject(output) || Array.isArray(output) ? output : { value: output },
    ...recordedEffects(result),
  };
}

/** The work, or a failure after that time, which also ends it. */
async function within<T>(limit_ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const message = `The tool did not end within ${limit_ms / 1_000} s`;
      reject(new NodeFailure({ kind: 'timeout', message }));
      over.abort();
    }, limit_ms);
  });
  try {
    return await Promise.race([work(over.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
