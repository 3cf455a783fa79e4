import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { refusedParam } from '../../kit/refused-param.ts';
import { parsedJson } from '../../kit/text/parsed-json.ts';
import { type AgentCall, failedCode, type Tool, type Used } from './tool.ts';

type PythonTool = AgentCall['params']['tools'][number];

/** Functions in Python that the agent may call, each call in a separate sandbox without network (§8.4). */
export function pythonTools(call: AgentCall): Tool[] {
  const names = new Set<string>();
  return call.params.tools.map((tool, at) => {
    if (names.has(tool.name)) throw refusedParam(`tools.${at}.name`, 'is the name of another tool, too');
    names.add(tool.name);
    return {
      definition: {
        name: tool.name,
        description: tool.description,
        input_schema: readSchema(tool, at),
      },
      is_parallel: true,
      touches: 'nothing',
      use: (input, key) =>
        call.step<Used>(key, 'read', ({ signal }) => useFunction(call, { tool, input, signal })),
    };
  });
}

function readSchema({ parameters }: PythonTool, at: number): JsonObject {
  const text = typeof parameters === 'string' ? parameters.trim() : parameters;
  const found = typeof text === 'string' ? (text === '' ? {} : parsedJson(text)) : text;
  if (!isJsonObject(found)) {
    throw refusedParam(
      `tools.${at}.parameters`,
      'must be a JSON Schema of an object, such as {"type": "object", "properties": {"city": {"type": "string"}}}',
    );
  }
  return { type: 'object', properties: {}, ...found };
}

interface Use {
  readonly tool: PythonTool;
  readonly input: JsonObject;
  readonly signal: AbortSignal;
}

async function useFunction(call: AgentCall, { tool, input, signal }: Use): Promise<Used> {
  const started_ms = call.services.now();
  const result = await runTool(call, { tool, input, signal }).catch(
    (error: unknown): Json => failedCode(error, signal),
  );
  return { result, elapsed_ms: call.services.now() - started_ms };
}

async function runTool(call: AgentCall, { tool, input, signal }: Use): Promise<Json> {
  const { result } = await call.services.runCode('tool', {
    language: 'python',
    source: tool.code,
    entry: tool.name,
    values: input,
    passes: 'named',
    requirements: [],
    allow_network: false,
    timeout_ms: call.params.toolTimeoutSeconds * 1_000,
    signal,
  });
  return result;
}
