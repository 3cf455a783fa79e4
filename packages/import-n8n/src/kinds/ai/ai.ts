import { type JsonObject, readText } from '@millrace/engine';
import { Params } from '../../source/params.ts';
import type { Part } from '../../source/source.ts';
import { formatScalar, type SourceNode } from '../../source/source.ts';
import type { View } from '../../views/views.ts';
import { type Kind, NotConvertible, type Target } from '../kind.ts';
import { withMedia } from './openai-media.ts';
import { findAnswerParser } from './parts.ts';
import { answerSchema, fixedJson, schemaOfExample, USUAL_EXAMPLE } from './schema.ts';

const MODEL = 'ai_languageModel';
const PARSER = 'ai_outputParser';

/** The question: the words of the chat before the node, or a text of its own. */
function question(to: Target): string {
  const { params } = to;
  const written = params.text('text') || params.text('prompt');
  params.get('promptType');
  if (written === '') return to.template('={{ $json.chatInput }}', 'userMessage');
  return to.template(written, 'userMessage');
}

const itself = (item: string): string => item;
const inValue = (item: string): string => `${item}.value`;

/** Where the answer of a model is: in `text`, or the fields of the output when a parser asked for JSON. */
function answerView(names: readonly string[], parts: readonly Part[]): View {
  const answer = findAnswerParser(parts);
  if (answer === undefined) return { renamed: Object.fromEntries(names.map((name) => [name, 'text'])) };
  const made = answer.isWrapped ? inValue : itself;
  return { made: Object.fromEntries(names.map((name) => [name, made])) };
}

/** Settings that a parser or a second model is announced with. */
const ANNOUNCED = ['hasOutputParser', 'needsFallback'];

/** Earlier messages are sent only by nodes that have a memory. */
const withoutMemory = ({ parts }: Target): JsonObject =>
  parts.some(({ role }) => role === 'ai_memory') ? {} : { conversationHistoryEnabled: false };

function buildAgent(to: Target, userMessage: string): JsonObject {
  const { params } = to;
  for (const key of ANNOUNCED) params.get(key);
  const most = params.number('options.maxIterations', 10);
  return {
    userMessage,
    systemInstruction: to.template(params.text('options.systemMessage'), 'systemInstruction'),
    ...withoutMemory(to),
    maxToolIterations: Math.min(Math.max(most, 1), 1000),
  };
}

const OF_AGENT = [MODEL, PARSER, 'ai_memory', 'ai_tool'];

const agent: Kind = {
  takes: OF_AGENT,
  view: (_, __, { parts }) => answerView(['output'], parts),
  convert: (_, to) => {
    const type = to.params.text('agent');
    if (type === 'sqlAgent')
      throw new NotConvertible('it is an agent for a database; use a query as its tool');
    return { type: 'agent', data: buildAgent(to, question(to)) };
  },
};

/** An agent that another one asks; what that asks is its input here. */
const agentTool: Kind = {
  takes: OF_AGENT,
  view: agent.view as NonNullable<Kind['view']>,
  convert: (_, to) => {
    const text = to.params.text('text');
    const isAsked = text === '' || to.isFromAgent(text);
    if (!isAsked && /\$fromAI/i.test(text))
      throw new NotConvertible('its prompt has texts beside what the other agent asks');
    return {
      type: 'agent',
      data: buildAgent(to, isAsked ? '$input.text' : to.template(text, 'userMessage')),
    };
  },
};

const chainLlm: Kind = {
  takes: [MODEL, PARSER],
  view: (_, __, { parts }) => answerView(['text', 'output'], parts),
  convert: (_, to) => {
    for (const key of ANNOUNCED) to.params.get(key);
    const messages = to.params.rows('messages.messageValues');
    to.params.get('messages');
    const system = messages.find(({ type }) => type === undefined || type === 'SystemMessagePromptTemplate');
    if (messages.length > (system === undefined ? 0 : 1)) {
      to.say(
        'Only the system message was taken over; messages of examples have no place here',
        'systemInstruction',
      );
    }
    return {
      type: 'llm',
      data: {
        userMessage: question(to),
        systemInstruction: to.template(readText(system?.['message']), 'systemInstruction'),
        ...withoutMemory(to),
      },
    };
  },
};

const EXTRACT =
  'You are an expert extraction algorithm.\nOnly extract relevant information from the text.\n' +
  "If you do not know the value of an attribute asked to extract, you may omit the attribute's value.";
const JSON_TYPES: Readonly<Record<string, JsonObject>> = {
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date-time' },
  number: { type: 'number' },
};

/** Attributes of the form, an example, or a schema. */
function extractedSchema({ parameters }: SourceNode) {
  const params = new Params(parameters);
  const type = params.text('schemaType', 'fromAttributes');
  if (type === 'fromJson') {
    const written = params.get('jsonSchemaExample');
    const example = written === undefined ? USUAL_EXAMPLE : fixedJson(written);
    return example === undefined ? undefined : answerSchema(schemaOfExample(example));
  }
  if (type === 'manual') {
    const schema = fixedJson(params.get('inputSchema'));
    return schema === undefined || Array.isArray(schema) ? undefined : answerSchema(schema);
  }
  const rows = params.rows('attributes.attributes').filter(({ name }) => readText(name) !== '');
  const properties = rows.map((row): [string, JsonObject] => {
    const description = readText(row['description']);
    const known = Object.hasOwn(JSON_TYPES, formatScalar(row['type']))
      ? JSON_TYPES[formatScalar(row['type'])]
      : undefined;
    return [readText(row['name']), { ...(known ?? { type: 'string' }), ...(description && { description }) }];
  });
  const required = rows.filter((row) => row['required'] === true).map(({ name }) => readText(name));
  return answerSchema({ type: 'object', properties: Object.fromEntries(properties), required });
}

const informationExtractor: Kind = {
  takes: [MODEL],
  view: (node) => ({ made: { output: extractedSchema(node)?.isWrapped === true ? inValue : itself } }),
  convert: (node, to) => {
    const { params } = to;
    for (const key of ['schemaType', 'jsonSchemaExample', 'inputSchema', 'attributes']) params.get(key);
    const found = extractedSchema(node);
    if (found === undefined) throw new NotConvertible('what it extracts is no fixed JSON');
    const system = params.text('options.systemPromptTemplate') || EXTRACT;
    return {
      type: 'llm',
      data: {
        userMessage: to.template(params.text('text'), 'userMessage'),
        systemInstruction: to.template(system, 'systemInstruction'),
        conversationHistoryEnabled: false,
        jsonOutputEnabled: true,
        jsonOutputSchema: JSON.stringify(found.schema),
      },
    };
  },
};

const textInside = (item: string): string => `dict({"text": ${item}.text})`;

const chainSummarization: Kind = {
  takes: [MODEL],
  view: () => ({ made: { response: textInside, output: textInside } }),
  convert: (_, to) => {
    const { params } = to;
    if (params.text('operationMode', 'nodeInputJson') !== 'nodeInputJson')
      throw new NotConvertible('it summarizes a file or documents');
    for (const key of ['type', 'chunkingMode']) params.get(key);
    to.say('The whole text is summarized at once here, and not in parts', 'userMessage');
    const userMessage = to.template(
      '=Write a concise summary of the following:\n\n{{ $json }}',
      'userMessage',
    );
    return { type: 'llm', data: { userMessage, conversationHistoryEnabled: false } };
  },
};

/** Messages of a form as one instruction and one question. */
function asked(to: Target, rows: readonly JsonObject[]) {
  const said = (role: string) =>
    rows.filter((row) => (readText(row['role']) || 'user') === role).map((row) => readText(row['content']));
  if (['assistant', 'model'].some((role) => said(role).length > 0))
    throw new NotConvertible('it sends messages in the name of the model');
  const joined = (texts: readonly string[], field: string): string => {
    if (texts.length > 1) to.say(`Its ${texts.length} messages are one here`, field);
    return texts.map((text) => to.template(text, field)).join('\n\n');
  };
  return {
    systemInstruction: joined([...said('system'), ...said('developer')], 'systemInstruction'),
    userMessage: joined(said('user'), 'userMessage'),
  };
}

/** Limits of the answer, at the places where nodes of providers have them. */
function readLimits({ params }: Target): JsonObject {
  const temperature = params.number('options.temperature', Number.NaN);
  const most = ['maxTokens', 'maxOutputTokens', 'maxTokensToSample'].map((key) =>
    params.number(`options.${key}`, 0),
  );
  return {
    ...(temperature >= 0 && temperature <= 2 ? { temperature } : {}),
    ...(Math.max(...most) > 0 ? { maxTokens: Math.max(...most) } : {}),
  };
}

/** An image by its address, which models read beside a question. */
function image(to: Target): JsonObject {
  const { params } = to;
  if (params.text('inputType', 'url') !== 'url') throw new NotConvertible('it reads an image that is a file');
  params.get('simplify');
  return {
    userMessage: to.template(params.text('text', "What's in this image?"), 'userMessage'),
    imageInputEnabled: true,
    imageInput: to.value(params.get('imageUrls'), 'imageInput'),
  };
}

const isJson = ({ parameters }: SourceNode): boolean => parameters['jsonOutput'] === true;

/** The answer as `{"content": …}`, as nodes of providers hand it on. */
const createContentGetter = (node: SourceNode) => (item: string) => (isJson(node) ? item : `${item}.text`);

/** The node of OpenAI in its versions: `modelId` with `messages.values`, `model` with `prompt.messages`. */
const openAi: Kind = {
  view: (node) => {
    const content = createContentGetter(node);
    const message = (item: string) => `dict({"content": ${content(item)}})`;
    const parts = (item: string) => `array(dict({"type": "output_text", "text": ${content(item)}}))`;
    return {
      made: {
        content,
        message,
        choices: (item) => `array(dict({"message": ${message(item)}}))`,
        output: (item) => `array(dict({"content": ${parts(item)}}))`,
      },
    };
  },
  convert: (node, to) => {
    const { params } = to;
    const resource = params.text('resource', 'text');
    const operation = params.text('operation', 'message');
    const model = params.text('modelId') || params.text('model') || params.text('chatModel');
    const data = { model, conversationHistoryEnabled: false, ...readLimits(to) };
    if (`${resource}.${operation}` === 'image.analyze')
      return { type: 'llm', data: { ...data, ...image(to) } };
    if (!['text', 'chat'].includes(resource) || !['message', 'complete', 'response'].includes(operation)) {
      throw new NotConvertible(`the operation "${resource}: ${operation}" has no equal here`);
    }
    const messages = ['messages.values', 'prompt.messages', 'responses.values'].flatMap((path) =>
      params.rows(path),
    );
    for (const key of ['messages', 'responses', 'simplify', 'jsonOutput']) params.get(key);
    const { systemInstruction, userMessage } = asked(to, messages);
    const instructions = to.template(params.text('options.instructions'), 'systemInstruction');
    // Before it had messages, the node had one text.
    const prompt = params.text('prompt');
    return {
      type: 'llm',
      data: {
        ...data,
        systemInstruction: [instructions, systemInstruction].filter((text) => text !== '').join('\n\n'),
        userMessage: prompt === '' ? userMessage : to.template(prompt, 'userMessage'),
        jsonOutputEnabled: isJson(node),
      },
    };
  },
};

/** Messages to a model of Google; its answer is a list of parts. */
const googleGemini: Kind = {
  view: (node) => {
    const content = createContentGetter(node);
    const parts = (item: string) =>
      `dict({"parts": array(dict({"text": ${content(item)}})), "role": "model"})`;
    return {
      made: { content: parts, candidates: (item) => `array(dict({"content": ${parts(item)}}))` },
    };
  },
  convert: (node, to) => {
    const { params } = to;
    const [resource, operation] = [params.text('resource', 'text'), params.text('operation', 'message')];
    const model = params.text('modelId').replace(/^models\//, '');
    const data: JsonObject = { model, conversationHistoryEnabled: false, ...readLimits(to) };
    if (`${resource}.${operation}` === 'image.analyze')
      return { type: 'llm', data: { ...data, ...image(to) } };
    if (resource !== 'text' || operation !== 'message')
      throw new NotConvertible(`the operation "${resource}: ${operation}" has no equal here`);
    for (const key of ['messages', 'simplify', 'jsonOutput']) params.get(key);
    const { userMessage } = asked(to, params.rows('messages.values'));
    const systemInstruction = to.template(params.text('options.systemMessage'), 'systemInstruction');
    const jsonOutputEnabled = isJson(node);
    return { type: 'llm', data: { ...data, systemInstruction, userMessage, jsonOutputEnabled } };
  },
};

/** Messages to a model of Anthropic; its answer is a list of parts. */
const anthropic: Kind = {
  view: () => ({ made: { content: (item) => `array(dict({"type": "text", "text": ${item}.text}))` } }),
  convert: (_, to) => {
    const { params } = to;
    const [resource, operation] = [params.text('resource', 'text'), params.text('operation', 'message')];
    const data: JsonObject = {
      model: params.text('modelId'),
      conversationHistoryEnabled: false,
      ...readLimits(to),
    };
    if (`${resource}.${operation}` === 'image.analyze')
      return { type: 'llm', data: { ...data, ...image(to) } };
    if (resource !== 'text' || operation !== 'message')
      throw new NotConvertible(`the operation "${resource}: ${operation}" has no equal here`);
    for (const key of ['messages', 'simplify', 'addAttachments']) params.get(key);
    if (params.flag('addAttachments')) throw new NotConvertible('it sends files');
    const { userMessage } = asked(to, params.rows('messages.values'));
    const systemInstruction = to.template(params.text('options.system'), 'systemInstruction');
    return { type: 'llm', data: { ...data, systemInstruction, userMessage } };
  },
};

export const ai: Readonly<Record<string, Kind>> = {
  agent,
  agentTool,
  chainLlm,
  chainSummarization,
  informationExtractor,
  openAi: withMedia(openAi),
  googleGemini,
  anthropic,
};
