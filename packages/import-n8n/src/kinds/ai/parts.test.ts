import { type Json, type JsonObject, problems } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { describe, expect, it } from 'vitest';
import { convert } from '../../testing/converted.ts';
import { argumentName } from '../../views/views.ts';

const AI = '@n8n/n8n-nodes-langchain.';
const link = (node: string, type: string, index = 0): Json => ({ [type]: [[{ node, type, index }]] });

interface Given {
  readonly type: string;
  readonly role: string;
  readonly version?: number;
  readonly parameters?: JsonObject;
  readonly rest?: JsonObject;
  /** The part that this one is a part of. */
  readonly of?: string;
  readonly index?: number;
}

/** A chat trigger, a node of AI with the given parts, and a node after it. */
function withParts(
  type: string,
  parts: Readonly<Record<string, Given>>,
  {
    parameters = {},
    version = 1.7,
    text = '={{ $json.output.city }}',
  }: { parameters?: JsonObject; version?: number; text?: string } = {},
) {
  const json: JsonObject = {
    nodes: [
      { name: 'Chat', type: `${AI}chatTrigger`, typeVersion: 1.1, parameters: {} },
      { name: 'Main', type: `${AI}${type}`, typeVersion: version, parameters },
      { name: 'After', type: 'n8n-nodes-base.telegram', typeVersion: 1, parameters: { chatId: '1', text } },
      ...Object.entries(parts).map(([name, part]) => ({
        name,
        type: part.type.includes('.') ? part.type : `${AI}${part.type}`,
        typeVersion: part.version ?? 1.3,
        parameters: part.parameters ?? {},
        ...part.rest,
      })),
    ],
    connections: {
      Chat: link('Main', 'main'),
      Main: link('After', 'main'),
      ...Object.fromEntries(
        Object.entries(parts).map(([name, { role, of = 'Main', index }]) => [name, link(of, role, index)]),
      ),
    },
  };
  const converted = convert(json);
  const data = converted.node('Main')?.data ?? {};
  return { ...converted, data, message: converted.node('After')?.data['message'] };
}

const model = (name: string, options: JsonObject = {}, index = 0): Given => ({
  type: 'lmChatOpenAi',
  role: 'ai_languageModel',
  parameters: { model: { __rl: true, mode: 'list', value: name }, options },
  index,
});
const parser = (parameters: JsonObject, of = 'Main'): Given => ({
  type: 'outputParserStructured',
  role: 'ai_outputParser',
  parameters,
  of,
});

describe('parts of an agent become its settings', () => {
  it('an example of its answer is a schema, and the answer is the output', () => {
    const { data, message, document, lines } = withParts(
      'agent',
      {
        Parser: parser({
          jsonSchemaExample: '{"city": "Ulm", "n": 1, "tags": ["a"], "more": {"x": true, "y": null}}',
        }),
      },
      { parameters: { hasOutputParser: true } },
    );
    expect(data['jsonOutputEnabled']).toBe(true);
    expect(JSON.parse(String(data['jsonOutputSchema']))).toEqual({
      type: 'object',
      properties: {
        city: { type: 'string' },
        n: { type: 'number' },
        tags: { type: 'array', items: { type: 'string' } },
        more: {
          type: 'object',
          properties: { x: { type: 'boolean' }, y: {} },
          required: ['x', 'y'],
        },
      },
      required: ['city', 'n', 'tags', 'more'],
    });
    expect(message).toBe('$concat(Main.city)');
    expect(document.nodes).toHaveLength(3);
    expect(lines('Main').filter((line) => line.includes('no equal'))).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['manual', { schemaType: 'manual', inputSchema: '{"type": "array", "items": {"type": "number"}}' }],
    ['an example', { jsonSchemaExample: '[1]' }],
    ['of the first version', { jsonSchema: '{"type": "array", "items": {"type": "number"}}' }],
  ])('a schema of a list (%s) is wrapped, since models answer with objects', (_, parameters) => {
    const { data, message } = withParts(
      'agent',
      { Parser: parser(parameters) },
      { text: '={{ $json.output[0] }}' },
    );
    expect(JSON.parse(String(data['jsonOutputSchema']))).toMatchObject({
      type: 'object',
      properties: { value: { type: 'array', items: { type: 'number' } } },
    });
    expect(message).toBe('$concat(Main.value[0])');
  });

  it('a parser that repairs answers stands for the one inside of it, and its model for none', () => {
    const { data, lines, document } = withParts('chainLlm', {
      Model: model('gpt-5'),
      Fixing: { type: 'outputParserAutofixing', role: 'ai_outputParser' },
      Repair: { ...model('gpt-5-mini'), of: 'Fixing' },
      Parser: parser({ jsonSchemaExample: '{"city": "Ulm"}' }, 'Fixing'),
    });
    expect(data).toMatchObject({ model: 'gpt-5', jsonOutputEnabled: true });
    expect(JSON.parse(String(data['jsonOutputSchema']))).toMatchObject({ required: ['city'] });
    expect(lines('Main')).toContainEqual(expect.stringContaining('"Fixing" asks a model again'));
    expect(document.nodes).toHaveLength(3);
  });

  it('a parser whose example has expressions is kept, switched off', () => {
    const { node, data } = withParts('agent', {
      Parser: parser({ jsonSchemaExample: '={"a": {{ $json.x }}}' }),
    });
    expect(node('Parser')?.data['active']).toBe(false);
    expect(data['jsonOutputEnabled']).toBeUndefined();
  });

  it('a second model is the fallback, by the order of the inputs', () => {
    const { data } = withParts('agent', {
      Second: model('b', {}, 1),
      First: model('a', { temperature: 0.1, topP: 1 }),
    });
    expect(data).toMatchObject({ model: 'a', fallbackModel: 'b', temperature: 0.1 });
  });

  it('a setting of a part without an equal is reported, and a part that is switched off is left out', () => {
    const { data, lines } = withParts('agent', {
      Model: { ...model('a', { topP: 1 }), rest: { newThing: 1 } },
      Parser: { ...parser({}), rest: { disabled: true } },
    });
    expect(lines('Main')).toContain('The key "newThing" of "Model" has no equal here and was left out');
    expect(lines('Main')).toContain(
      'The setting "options.topP" of "Model" has no equal here and was left out',
    );
    expect(lines('Main')).toContain('"Parser" is switched off and was left out');
    expect(data['jsonOutputEnabled']).toBeUndefined();
  });

  it.each<[string, JsonObject, boolean]>([
    ['of the chat', {}, true],
    [
      'by the session of the chat',
      { sessionIdType: 'customKey', sessionKey: "={{ $('Chat').item.json.sessionId }}" },
      true,
    ],
    ['by a key of its own', { sessionIdType: 'customKey', sessionKey: '={{ $json.from.id }}' }, false],
  ])('a memory %s', (_, parameters, isMerged) => {
    const { data, node, lines } = withParts('agent', {
      Memory: {
        type: 'memoryBufferWindow',
        role: 'ai_memory',
        parameters: { ...parameters, contextWindowLength: 9 },
      },
    });
    expect(node('Memory') === undefined).toBe(isMerged);
    expect(data['conversationHistoryEnabled']).toBe(isMerged);
    if (isMerged) {
      expect(lines('Main')).toContainEqual(expect.stringContaining('the conversation of the chat portal'));
      expect(lines('Main')).toContainEqual(expect.stringContaining('"contextWindowLength" of "Memory"'));
    } else {
      expect(node('Memory')?.data['active']).toBe(false);
      expect(lines('Memory')).toContainEqual(expect.stringContaining('have no other key'));
    }
  });

  it('an MCP server with its transport and time', () => {
    const { data, lines } = withParts('agent', {
      Tools: {
        type: 'mcpClientTool',
        role: 'ai_tool',
        version: 1.1,
        parameters: {
          endpointUrl: 'https://mcp.example.com/sse',
          authentication: 'bearerAuth',
          include: 'selected',
          includeTools: ['a'],
          options: { timeout: 30_000 },
        },
      },
    });
    expect(data['mcpConnections']).toEqual([
      {
        id: 'Tools',
        label: 'Tools',
        transport: 'sse',
        url: 'https://mcp.example.com/sse',
        timeoutSeconds: 30,
      },
    ]);
    expect(lines('Main')).toContain('Add the sign-in to the headers of the MCP server "Tools"');
    expect(lines('Main')).toContainEqual(expect.stringContaining('"includeTools" of "Tools"'));
  });

  it('a calculator of two agents is a tool of both', () => {
    const { data, document } = withParts('agent', {
      Calculator: { type: 'toolCalculator', role: 'ai_tool' },
      Other: { type: 'toolCalculator', role: 'ai_tool' },
    });
    expect(data['tools']).toMatchObject([{ name: 'calculator' }]);
    expect(problems(document, catalog).filter(({ code }) => code !== 'missing_param')).toEqual([]);
  });

  it('an agent that it asks is named by it', () => {
    const { data, node, edges } = withParts('agent', {
      Helper: {
        type: 'agentTool',
        role: 'ai_tool',
        parameters: {
          text: "={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('Prompt__User_Message_', ``, 'string') }}",
          options: { systemMessage: 'Search' },
        },
      },
      Model: { ...model('a'), of: 'Helper' },
    });
    expect(data).toMatchObject({ isOrchestrator: true, subAgentLabels: ['Helper'] });
    expect(node('Helper')).toMatchObject({
      type: 'agent',
      data: { userMessage: '$input.text', systemInstruction: 'Search', model: 'a' },
    });
    expect(edges).toEqual(['Chat:>Main:', 'Main:>After:']);
  });

  it('a part that has no place at one of its users is kept for all of them', () => {
    const json = withParts('agent', { Model: model('a') });
    expect(json.node('Model')).toBeUndefined();
    const { node } = convert({
      nodes: [
        { name: 'Main', type: `${AI}agent`, parameters: {} },
        { name: 'Else', type: `${AI}chainRetrievalQa`, parameters: {} },
        { name: 'Model', type: `${AI}lmChatOpenAi`, parameters: {} },
      ],
      connections: { Model: { ai_languageModel: [[{ node: 'Main' }, { node: 'Else' }]] } },
    });
    expect(node('Model')?.data['active']).toBe(false);
  });

  it('parts in a circle are kept', () => {
    const { document } = convert({
      nodes: ['A', 'B'].map((name) => ({ name, type: `${AI}outputParserAutofixing`, parameters: {} })),
      connections: { A: link('B', 'ai_outputParser'), B: link('A', 'ai_outputParser') },
    });
    expect(document.nodes).toHaveLength(2);
  });

  it('parts of a node that is not converted are named with it', () => {
    const { node, lines } = withParts('agent', { Model: model('a') }, { parameters: { agent: 'sqlAgent' } });
    expect(node('Main')?.type).toBe(`${AI}agent`);
    expect(lines('Main')).toContain('Its part "Model" was left out with it');
  });
});

describe('tools of an agent', () => {
  const tool = (type: string, parameters: JsonObject, version = 2): Given => ({
    type,
    role: 'ai_tool',
    parameters,
    version,
  });

  it.each<[string, JsonObject, number, string, JsonObject]>([
    ['toolThink', {}, 1, 'variable', { agentProvidedFields: ['variableValue'], variableName: 'thought' }],
    [
      'toolWorkflow',
      {
        workflowInputs: {
          value: { city: "={{ $fromAI('The city', ``, 'string') }}", n: 5, who: '={{ $json.chatInput }}' },
        },
      },
      2.2,
      'execute',
      {
        agentProvidedFields: ['value_The_city'],
        executeInputMappings: [
          { key: 'city', value: '$agentArguments.value_The_city' },
          { key: 'n', value: 5 },
          { key: 'who', value: '$Chat.text' },
        ],
      },
    ],
    [
      'toolWorkflow',
      { name: 'search' },
      1.2,
      'execute',
      { executeInputMappings: [{ key: 'query', value: '$agentArguments.value_query' }] },
    ],
    [
      'toolHttpRequest',
      {
        url: 'https://example.com/{city}',
        sendQuery: true,
        parametersQuery: {
          values: [{ name: 'lang' }, { name: 'n', valueProvider: 'fieldValue', value: '5' }],
        },
        placeholderDefinitions: { values: [{ name: 'city' }] },
      },
      1.1,
      'http',
      {
        agentProvidedFields: ['value_city', 'value_lang'],
        curl:
          "curl -L -X GET 'https://example.com/$concat(agentArguments.value_city)" +
          "?lang=$concat(agentArguments.value_lang).urlEncode()&n=5'",
      },
    ],
    [
      'n8n-nodes-base.httpRequestTool',
      {
        method: 'POST',
        url: 'https://example.com',
        sendBody: true,
        specifyBody: 'json',
        jsonBody: `={"tree": "{{ $fromAI("tree") }}"}`,
      },
      4.2,
      'http',
      { agentProvidedFields: ['value_tree'] },
    ],
    [
      'vectorStoreQdrant',
      { mode: 'retrieve-as-tool', topK: 9 },
      1.3,
      'rag',
      { agentProvidedFields: ['queryText'], searchLimit: 9 },
    ],
    ['toolVectorStore', {}, 1, 'rag', { agentProvidedFields: ['queryText'], searchLimit: 4 }],
    [
      'toolCode',
      { jsCode: 'return query.toUpperCase();' },
      1.1,
      'code',
      { agentProvidedFields: ['value_query'], codeParameters: '{"query":"$agentArguments.value_query"}' },
    ],
  ])('%s with %j', (...[type, parameters, version, made, data]) => {
    const { node, edges, document } = withParts('agent', { Tool: tool(type, parameters, version) });
    expect(node('Tool')).toMatchObject({ type: made, data });
    expect(edges).toContain('Tool:tool-output>Main:tool-input');
    expect(problems(document, catalog).filter(({ code }) => code !== 'missing_param')).toEqual([]);
  });

  it('names values of agents as no parameter of a node is named', () => {
    expect(argumentName('The city!')).toBe('value_The_city_');
    const names = catalog.all.flatMap(({ params }) => Object.keys(params.shape));
    expect(names.filter((name) => name.startsWith('value_'))).toEqual([]);
    expect(names.length).toBeGreaterThan(200);
  });

  it('keeps values of an agent on a node that is no tool as they are', () => {
    const { lines } = withParts('agent', {}, { text: '=A {{ $fromAI("x") }}' });
    expect(lines('After')).toContainEqual(expect.stringContaining('only tools of agents'));
  });
});

describe('stores of vectors', () => {
  it('take what a loader reads, and leave out what cuts and embeds', () => {
    const { data, node, document, lines } = withParts(
      'vectorStorePinecone',
      {
        Loader: {
          type: 'documentDefaultDataLoader',
          role: 'ai_document',
          parameters: {
            jsonMode: 'expressionData',
            jsonData: '={{ $json.chatInput }}',
            options: { metadata: { metadataValues: [{ name: 'by', value: '={{ $json.sessionId }}' }] } },
          },
        },
        Splitter: {
          type: 'textSplitterTokenSplitter',
          role: 'ai_textSplitter',
          of: 'Loader',
          parameters: { chunkSize: 9 },
        },
        Embeddings: { type: 'embeddingsOpenAi', role: 'ai_embedding' },
      },
      { parameters: { mode: 'insert', pineconeIndex: { __rl: true, value: 'docs' } } },
    );
    expect(node('Main')?.type).toBe('rag');
    expect(data).toMatchObject({
      ragOperation: 'insert',
      documentContent: '$concat(Chat.text)',
      documentMetadata: '{"by":"$Chat.sessionId"}',
    });
    expect(document.nodes).toHaveLength(3);
    expect(lines('Main')).toEqual([
      'Choose the vector store, which has its own embedding model and cuts texts by itself',
      'The splitter of texts "Splitter" is set for the vector store here, and was left out',
      'The embedding model "Embeddings" is set for the vector store here, and was left out',
    ]);
  });

  it('find entries with a filter that is reported', () => {
    const { data, message, lines } = withParts(
      'vectorStoreQdrant',
      {},
      {
        parameters: {
          mode: 'load',
          prompt: '={{ $json.chatInput }}',
          options: { searchFilterJson: '{"a": 1}' },
        },
        text: '={{ $json.document.pageContent }}',
      },
    );
    expect(data).toMatchObject({ ragOperation: 'search', queryText: '$concat(Chat.text)', searchLimit: 4 });
    expect(message).toContain('AfterLoop.item.text');
    expect(lines('Main')).toContainEqual(expect.stringContaining('options.searchFilterJson'));
  });

  it('are kept when they store a file', () => {
    const { node, lines } = withParts(
      'vectorStoreQdrant',
      {
        Loader: {
          type: 'documentDefaultDataLoader',
          role: 'ai_document',
          parameters: { dataType: 'binary' },
        },
      },
      { parameters: { mode: 'insert' } },
    );
    expect(node('Main')?.type).toContain('vectorStoreQdrant');
    expect(lines('Main')).toContainEqual(expect.stringContaining('comes from a file'));
  });
});

describe('questions to a model', () => {
  it.each<[string, number, JsonObject, JsonObject]>([
    [
      'informationExtractor',
      1.2,
      {
        text: '={{ $json.chatInput }}',
        attributes: {
          attributes: [
            { name: 'city', description: 'A city', required: true },
            { name: 'n', type: 'number' },
          ],
        },
      },
      {
        userMessage: '$concat(Chat.text)',
        jsonOutputEnabled: true,
        jsonOutputSchema: JSON.stringify({
          type: 'object',
          properties: { city: { type: 'string', description: 'A city' }, n: { type: 'number' } },
          required: ['city'],
        }),
      },
    ],
    [
      'googleGemini',
      1,
      {
        modelId: { value: 'models/gemini-2.5-pro' },
        messages: { values: [{ content: 'a' }, { content: 'b' }] },
        options: { systemMessage: 's' },
      },
      { model: 'gemini-2.5-pro', userMessage: 'a\n\nb', systemInstruction: 's' },
    ],
    [
      'anthropic',
      1,
      {
        modelId: { value: 'claude' },
        messages: { values: [{ content: 'a' }] },
        options: { system: 's', maxTokens: 9 },
      },
      { model: 'claude', userMessage: 'a', systemInstruction: 's', maxTokens: 9 },
    ],
    [
      'openAi',
      1.8,
      {
        resource: 'image',
        operation: 'analyze',
        modelId: 'gpt',
        text: 'What?',
        imageUrls: '={{ $json.chatInput }}',
      },
      { model: 'gpt', userMessage: 'What?', imageInputEnabled: true, imageInput: '$Chat.text' },
    ],
  ])('%s of version %s: %j', (type, version, parameters, data) => {
    const converted = withParts(type, {}, { parameters, version });
    expect(converted.node('Main')).toMatchObject({ type: 'llm', data });
    expect(converted.lines('Main').filter((line) => line.includes('no equal'))).toEqual([]);
  });

  it.each<[string, JsonObject, string, string]>([
    ['openAi', {}, '$json.message.content', '$concat(dict({"content": Main.text}).content)'],
    [
      'openAi',
      { jsonOutput: true },
      '$json.message.content.city',
      '$concat(dict({"content": Main}).content.city)',
    ],
    ['openAi', {}, '$json.content', '$concat(Main.text)'],
    [
      'googleGemini',
      {},
      '$json.content.parts[0].text',
      '$concat(dict({"parts": array(dict({"text": Main.text})), "role": "model"}).parts[0].text)',
    ],
    ['chainSummarization', {}, '$json.response.text', '$concat(dict({"text": Main.text}).text)'],
    ['informationExtractor', {}, '$json.output.city', '$concat(Main.city)'],
    ['chainLlm', {}, '$json.text', '$concat(Main.text)'],
  ])('of %s %j are answered where %s is read', (type, parameters, script, message) => {
    const { message: made } = withParts(type, {}, { parameters, version: 1.6, text: `={{ ${script} }}` });
    expect(made).toBe(message);
  });
});
