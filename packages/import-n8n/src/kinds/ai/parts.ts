import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { lostKeys } from '../../report/settings.ts';
import { Params } from '../../source/params.ts';
import type { Part } from '../../source/source.ts';
import { formatScalar, type SourceNode } from '../../source/source.ts';
import type { Target } from '../kind.ts';
import { type AnswerSchema, answerSchema, fixedJson, schemaOfExample, USUAL_EXAMPLE } from './schema.ts';

/** How nodes of one type of n8n become settings of the node that they are connected to. */
export interface PartKind {
  /** Connections of parts of its own. */
  readonly takes?: readonly string[];
  /** False for one that the settings here cannot stand for. */
  fits?(node: SourceNode): boolean;
  /** Settings of the other node; `to` reads the parameters of the part, with the data of that node. */
  settings(to: Target, part: Part): JsonObject;
}

const PARSER = 'ai_outputParser';
export const MODEL = 'ai_languageModel';

/** Models of all providers; the credential of the node says which. */
const model: PartKind = {
  settings: (to, { node }) => {
    const { params } = to;
    to.say(`The model "${node.name}" is a setting of this node here; choose its credential`, 'credentialId');
    const name = params.text('model') || params.text('modelName') || params.text('modelId');
    const settings: JsonObject = {};
    if (name !== '') settings['model'] = name.replace(/^=/, '').replace(/^models\//, '');
    const temperature = params.number('options.temperature', Number.NaN);
    if (temperature >= 0 && temperature <= 2) settings['temperature'] = temperature;
    const most = ['maxTokens', 'maxTokensToSample', 'maxOutputTokens', 'numPredict'].map((key) =>
      params.number(`options.${key}`, 0),
    );
    if (Math.max(...most) > 0) settings['maxTokens'] = Math.max(...most);
    // Asked of the provider as a whole, and not of one answer.
    for (const key of ['options.timeout', 'options.maxRetries']) params.get(key);
    return settings;
  },
};

/** The schema that a parser asks for; undefined when it is no fixed JSON. */
function parserSchema({ parameters }: SourceNode): AnswerSchema | undefined {
  const params = new Params(parameters);
  const type = params.text('schemaType', 'fromJson');
  const written = params.get('inputSchema') ?? params.get('jsonSchema');
  if (type === 'manual' || params.get('jsonSchema') !== undefined) {
    const schema = fixedJson(written);
    return isJsonObject(schema ?? null) ? answerSchema(schema as JsonObject) : undefined;
  }
  const example = params.get('jsonSchemaExample');
  const value = example === undefined ? USUAL_EXAMPLE : fixedJson(example);
  return value === undefined ? undefined : answerSchema(schemaOfExample(value));
}

const parser: PartKind = {
  takes: [MODEL],
  fits: (node) => parserSchema(node) !== undefined,
  settings: (to, { node, parts }) => {
    for (const key of ['schemaType', 'jsonSchemaExample', 'inputSchema', 'jsonSchema', 'autoFix', 'prompt'])
      to.params.get(key);
    const found = parserSchema(node);
    if (parts.length > 0) sayNotRepaired(to, node);
    if (found?.isWrapped === true)
      to.say('The answer has its list in "value", since models answer with objects', 'jsonOutputSchema');
    return {
      jsonOutputEnabled: true,
      jsonOutputSchema: JSON.stringify(found?.schema ?? {}),
    };
  },
};

const sayNotRepaired = (to: Target, { name }: SourceNode): void =>
  to.say(
    `"${name}" asks a model again when an answer does not fit; here the model is held to the schema`,
    'jsonOutputSchema',
  );

/** The parser inside of it says what is asked for. */
const repairingParser: PartKind = {
  takes: [MODEL, PARSER],
  settings: (to, { node }) => {
    to.params.get('options.prompt');
    sayNotRepaired(to, node);
    return { jsonOutputEnabled: true };
  },
};

/** The parser whose schema the answer has, among parts and the parts of those. */
export function findAnswerParser(parts: readonly Part[]): { readonly isWrapped: boolean } | undefined {
  for (const { node, role, parts: own } of parts) {
    if (role !== PARSER) continue;
    const inner = findAnswerParser(own);
    if (inner !== undefined) return inner;
    return { isWrapped: parserSchema(node)?.isWrapped === true };
  }
  return undefined;
}

/** Conversations of the chat portal are kept by it; one with a key of its own has no place here. */
const memory: PartKind = {
  fits: ({ parameters, version }) => {
    const params = new Params(parameters);
    const key = params.text('sessionKey');
    if (version < 1.1) return false;
    return params.text('sessionIdType', 'fromInput') === 'fromInput' || /\.sessionId\s*\}\}\s*$/.test(key);
  },
  settings: (to, { node }) => {
    for (const key of ['sessionIdType', 'sessionKey']) to.params.get(key);
    to.say(
      `The memory "${node.name}" is the conversation of the chat portal here; runs from elsewhere begin without one`,
      'conversationHistoryEnabled',
    );
    return { conversationHistoryEnabled: true };
  },
};

/** Arithmetic without names but those of `math`, as Python reads it. */
const CALCULATOR = `def calculator(expression):
    import ast, math, operator
    OPERATORS = {
        ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
        ast.Mod: operator.mod, ast.Pow: operator.pow, ast.USub: operator.neg, ast.UAdd: operator.pos,
    }
    def value(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return node.value
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            left, right = value(node.left), value(node.right)
            if isinstance(node.op, ast.Pow) and abs(right) > 1000:
                raise ValueError("The exponent is too large")
            return OPERATORS[type(node.op)](left, right)
        if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](value(node.operand))
        if isinstance(node, ast.Name) and node.id in ("pi", "e"):
            return getattr(math, node.id)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            functions = {"abs": abs, "round": round, "min": min, "max": max}
            found = functions.get(node.func.id) or getattr(math, node.func.id, None)
            if callable(found):
                return found(*[value(argument) for argument in node.args])
        raise ValueError("Only numbers, operators and functions such as sqrt can be calculated")
    return value(ast.parse(expression.replace("^", "**"), mode="eval").body)
`;

const calculator: PartKind = {
  settings: (to, { node }) => {
    to.say(`"${node.name}" is a Python tool here, which needs a container engine`, 'tools');
    return {
      tools: [
        {
          name: 'calculator',
          description: 'Calculates an arithmetic expression such as (2 + 3) * sqrt(16).',
          parameters: {
            type: 'object',
            properties: { expression: { type: 'string' } },
            required: ['expression'],
          },
          code: CALCULATOR,
        },
      ],
    };
  },
};

const TRANSPORTS: Readonly<Record<string, string>> = { sse: 'sse', httpStreamable: 'streamable_http' };

const mcpClient: PartKind = {
  settings: (to, { node }) => {
    const { params } = to;
    const usual = node.version >= 1.2 ? 'httpStreamable' : 'sse';
    const written = params.text('serverTransport', usual);
    const url = params.text('endpointUrl') || params.text('sseEndpoint');
    params.get('include');
    if (params.text('authentication', 'none') !== 'none')
      to.say(`Add the sign-in to the headers of the MCP server "${node.name}"`, 'mcpConnections');
    const seconds = Math.round(params.number('options.timeout', 0) / 1000);
    return {
      mcpConnections: [
        {
          id: node.name,
          label: node.name,
          transport: (Object.hasOwn(TRANSPORTS, written) ? TRANSPORTS[written] : undefined) ?? 'sse',
          url: to.template(url, 'mcpConnections'),
          ...(seconds > 0 ? { timeoutSeconds: Math.min(seconds, 3_600) } : {}),
        },
      ],
    };
  },
};

/** A part that the store of vectors here has settings of its own for. */
const ofStore = (what: string): PartKind => ({
  settings: (to, { node }) => {
    // Its parameters are of another service, or cut texts otherwise.
    to.params.ignoreOthers();
    to.say(`${what} "${node.name}" is set for the vector store here, and was left out`, 'vectorStoreId');
    return {};
  },
});

/** Reads what is stored from the data of the node. */
const loader: PartKind = {
  takes: ['ai_textSplitter'],
  fits: ({ parameters }) => formatScalar(parameters['dataType'], 'json') === 'json',
  settings: (to) => {
    const { params } = to;
    for (const key of ['dataType', 'textSplittingMode', 'options.metadata']) params.get(key);
    const text = params.text('jsonMode') === 'expressionData' ? params.text('jsonData') : '={{ $json }}';
    params.get('jsonData');
    const metadata = params
      .rows('options.metadata.metadataValues')
      .map(({ name, value }): [string, Json] => [formatScalar(name), to.value(value, 'documentMetadata')]);
    return {
      documentContent: to.template(text, 'documentContent'),
      ...(metadata.length === 0 ? {} : { documentMetadata: JSON.stringify(Object.fromEntries(metadata)) }),
    };
  },
};

/** The store that a tool searches: what is in it is another store here. */
const searched: PartKind = {
  takes: ['ai_embedding'],
  fits: ({ parameters }) => formatScalar(parameters['mode'], 'retrieve') === 'retrieve',
  settings: (to) => {
    to.params.ignoreOthers();
    return {};
  },
};

const KINDS: Readonly<Record<string, PartKind>> = {
  outputParserStructured: parser,
  outputParserAutofixing: repairingParser,
  memoryBufferWindow: memory,
  memoryPostgresChat: memory,
  memoryRedisChat: memory,
  memoryMongoDbChat: memory,
  memoryXata: memory,
  memoryZep: memory,
  toolCalculator: calculator,
  mcpClientTool: mcpClient,
  documentDefaultDataLoader: loader,
};

const MODEL_TYPE = /^lm(Chat)?[A-Z]/;
const SPLITTER = ofStore('The splitter of texts');
const EMBEDDINGS = ofStore('The embedding model');
const FAMILIES: readonly (readonly [RegExp, PartKind])[] = [
  [MODEL_TYPE, model],
  [/^embeddings[A-Z]/, EMBEDDINGS],
  [/^textSplitter[A-Z]/, SPLITTER],
  [/^vectorStore[A-Z]/, searched],
  [/^reranker[A-Z]/, ofStore('The reranker')],
];

/** True for nodes that only hold a model. */
export const isModel = ({ type }: SourceNode): boolean => MODEL_TYPE.test(type);

/** How a node becomes settings of others; undefined for one that does not. */
export function findPartKind(node: SourceNode): PartKind | undefined {
  const kind = Object.hasOwn(KINDS, node.type)
    ? KINDS[node.type]
    : FAMILIES.find(([types]) => types.test(node.type))?.[1];
  return kind?.fits?.(node) === false ? undefined : kind;
}

interface Context {
  /** Reads the parameters of a part where the node that it belongs to has its data. */
  targetFor(part: SourceNode): Target;
}

/** Settings of all parts of a node; `to` is that of the node. */
export function collectSettings(parts: readonly Part[], context: Context): JsonObject {
  const settings: JsonObject = {};
  let hasModel = false;
  for (const part of parts) {
    const to = context.targetFor(part.node);
    if (part.node.isDisabled) {
      to.say(`"${part.node.name}" is switched off and was left out`);
      continue;
    }
    const own = findPartKind(part.node)?.settings(to, part) ?? {};
    for (const path of to.params.unread())
      to.say(`The setting "${path}" of "${part.node.name}" has no equal here and was left out`);
    for (const key of lostKeys(part.node.stored))
      to.say(`The key "${key}" of "${part.node.name}" has no equal here and was left out`);
    const isSecond = part.role === MODEL && hasModel;
    hasModel ||= part.role === MODEL;
    add(settings, isSecond ? { fallbackModel: own['model'] ?? '' } : own);
    // A model that repairs answers, or answers for a tool, is none of the node.
    const inner = part.parts.filter(({ role }) => role !== MODEL);
    add(settings, collectSettings(inner, context));
  }
  return settings;
}

/** Lists grow; of anything else the first counts. */
function add(settings: JsonObject, more: JsonObject): void {
  for (const [key, value] of Object.entries(more)) {
    const former = settings[key];
    if (former === undefined) settings[key] = value;
    else if (Array.isArray(former) && Array.isArray(value)) {
      const known = new Set(former.map((item) => JSON.stringify(item)));
      settings[key] = [...former, ...value.filter((item) => !known.has(JSON.stringify(item)))];
    }
  }
}
