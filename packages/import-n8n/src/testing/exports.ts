import type { JsonObject } from '@millrace/engine';

const main = (...ends: readonly string[]) => ends.map((node) => ({ node, type: 'main', index: 0 }));
const node = (name: string, type: string, typeVersion: number, rest: JsonObject = {}): JsonObject => ({
  parameters: {},
  id: `id of ${name}`,
  name,
  type: type.startsWith('@') ? type : `n8n-nodes-base.${type}`,
  typeVersion,
  position: [240, 300],
  ...rest,
});

/** A webhook that answers through a condition, as versions of 2024 and later write it. */
export const webhookReply = (url = 'https://api.example.com/orders'): JsonObject => ({
  name: 'Order reply',
  nodes: [
    node('Webhook', 'webhook', 2, {
      parameters: { httpMethod: 'POST', path: 'orders', responseMode: 'responseNode', options: {} },
      webhookId: 'b1f7',
    }),
    node('Edit Fields', 'set', 3.4, {
      parameters: {
        assignments: {
          assignments: [
            { id: '1', name: 'name', value: '={{ $json.body.name.toUpperCase() }}', type: 'string' },
            { id: '2', name: 'total', value: '={{ $json.body.price * $json.body.count }}', type: 'number' },
            {
              id: '3',
              name: 'label',
              value: '=Order of {{ $json.body.name }}: {{ $json.body.count }}',
              type: 'string',
            },
            { id: '4', name: 'open', value: true, type: 'boolean' },
          ],
        },
        options: {},
      },
    }),
    node('Is it large?', 'if', 2.2, {
      parameters: {
        conditions: {
          options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
          conditions: [
            {
              id: 'a',
              leftValue: '={{ $json.total }}',
              rightValue: 100,
              operator: { type: 'number', operation: 'gt' },
            },
            {
              id: 'b',
              leftValue: '={{ $json.name }}',
              rightValue: '',
              operator: { type: 'string', operation: 'notEmpty', singleValue: true },
            },
          ],
          combinator: 'and',
        },
        options: {},
      },
    }),
    node('HTTP Request', 'httpRequest', 4.2, {
      parameters: {
        method: 'POST',
        url,
        sendQuery: true,
        queryParameters: { parameters: [{ name: 'kind', value: '={{ $json.name }} & co' }] },
        sendHeaders: true,
        headerParameters: { parameters: [{ name: 'X-Order', value: '={{ $json.label }}' }] },
        sendBody: true,
        bodyParameters: {
          parameters: [
            { name: 'total', value: '={{ $json.total }}' },
            { name: 'text', value: "it's {{fixed}}" },
          ],
        },
        options: {},
      },
      retryOnFail: true,
      waitBetweenTries: 2000,
    }),
    node('Respond', 'respondToWebhook', 1.1, {
      parameters: {
        respondWith: 'json',
        responseBody:
          '={\n  "accepted": {{ $json.ok }},\n  "text": "{{ $(\'Edit Fields\').item.json.label }}!"\n}',
        options: {},
      },
    }),
    node('Too small', 'respondToWebhook', 1.1, {
      parameters: { respondWith: 'text', responseBody: '=Too small: {{ $json.total }}', options: {} },
    }),
  ],
  connections: {
    Webhook: { main: [main('Edit Fields')] },
    'Edit Fields': { main: [main('Is it large?')] },
    'Is it large?': { main: [main('HTTP Request'), main('Too small')] },
    'HTTP Request': { main: [main('Respond')] },
  },
  active: false,
  settings: { executionOrder: 'v1' },
  pinData: {},
  meta: { instanceId: 'x' },
  tags: [],
});

/** The shapes of versions before 2023. */
export const older: JsonObject = {
  name: 'Older shapes',
  nodes: [
    node('Start', 'start', 1),
    node('Set', 'set', 1, {
      parameters: {
        values: {
          string: [{ name: 'city', value: 'Ulm' }],
          number: [{ name: 'count', value: '3' }],
          boolean: [{ name: 'open', value: true }],
        },
        options: {},
      },
    }),
    node('IF', 'if', 1, {
      parameters: {
        conditions: {
          string: [{ value1: '={{$node["Set"].json["city"]}}', operation: 'contains', value2: 'U' }],
          number: [{ value1: '={{$json["count"]}}', operation: 'largerEqual', value2: 3 }],
        },
        combineOperation: 'all',
      },
    }),
    node('Old Request', 'httpRequest', 1, {
      parameters: {
        requestMethod: 'POST',
        url: '=https://api.example.com/{{$json["city"]}}',
        jsonParameters: true,
        options: {},
        bodyParametersJson: '={"count": {{$json["count"]}}, "by": "{{$json["city"]}}"}',
        headerParametersJson: '{"Accept": "text/plain"}',
      },
    }),
    node('Switch', 'switch', 1, {
      parameters: {
        dataType: 'string',
        value1: '={{$node["Set"].json.city}}',
        rules: { rules: [{ value2: 'Ulm' }, { value2: 'Bonn', output: 1 }] },
        fallbackOutput: 3,
      },
    }),
    node('Stop', 'stopAndError', 1, { parameters: { errorMessage: '=No {{ $json.city }}' } }),
    node('NoOp', 'noOp', 1),
  ],
  connections: {
    Start: { main: [main('Set')] },
    Set: { main: [main('IF')] },
    IF: { main: [main('Old Request'), main('Switch')] },
    Switch: { main: [main('NoOp'), main('Stop')] },
  },
};

/** A report at night: rows, a loop, mail, and an error trigger. */
export const nightly: JsonObject = {
  name: 'Nightly report',
  nodes: [
    node('Every night', 'scheduleTrigger', 1.2, {
      parameters: { rule: { interval: [{ triggerAtHour: 3, triggerAtMinute: 30 }] } },
    }),
    node('Postgres', 'postgres', 2.5, {
      parameters: {
        operation: 'executeQuery',
        query: 'SELECT * FROM orders WHERE day = $1',
        options: { queryReplacement: "={{ $now.minus({days: 1}).toFormat('yyyy-MM-dd') }}" },
      },
      credentials: { postgres: { id: '7', name: 'Shop' } },
    }),
    node('Sort', 'sort', 1, {
      parameters: { sortFieldsUi: { sortField: [{ fieldName: 'total', order: 'descending' }] }, options: {} },
    }),
    node('Loop Over Items', 'splitInBatches', 3, { parameters: { options: {} } }),
    node('Telegram', 'telegram', 1.2, {
      parameters: {
        chatId: '42',
        text: '=Order {{ $json.id }} over {{ $json.total }}',
        additionalFields: {},
      },
      credentials: { telegramApi: { id: '1', name: 'Bot' } },
    }),
    node('Wait', 'wait', 1.1, { parameters: { amount: 2 } }),
    node('Mail', 'emailSend', 2.1, {
      parameters: {
        fromEmail: 'shop@example.com',
        toEmail: 'boss@example.com',
        subject: '=Report of {{ $today.toISODate() }}',
        emailFormat: 'text',
        text: 'All done',
        options: { appendAttribution: false },
      },
    }),
    node('Note', 'stickyNote', 1, { parameters: { content: '## Night', height: 200, width: 300, color: 5 } }),
    node('On error', 'errorTrigger', 1),
    node('Slack', 'slack', 2.2, {
      parameters: {
        select: 'channel',
        channelId: { __rl: true, value: 'C123', mode: 'list' },
        text: 'It failed',
        otherOptions: { mrkdwn: true },
      },
    }),
  ],
  connections: {
    'Every night': { main: [main('Postgres')] },
    Postgres: { main: [main('Sort')] },
    Sort: { main: [main('Loop Over Items')] },
    'Loop Over Items': { main: [main('Mail'), main('Telegram')] },
    Telegram: { main: [main('Wait')] },
    Wait: { main: [main('Loop Over Items')] },
    'On error': { main: [main('Slack')] },
  },
  settings: { timezone: 'Europe/Berlin', errorWorkflow: '12' },
};

/** An agent with a model, a tool and a memory. */
export const assistant: JsonObject = {
  name: 'Assistant',
  nodes: [
    node('When chat message received', '@n8n/n8n-nodes-langchain.chatTrigger', 1.1, {
      parameters: { options: {} },
    }),
    node('AI Agent', '@n8n/n8n-nodes-langchain.agent', 1.7, {
      parameters: { options: { systemMessage: '=Be short. It is {{ $now.toISO() }}.', maxIterations: 5 } },
    }),
    node('OpenAI Chat Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.2, {
      parameters: {
        model: { __rl: true, mode: 'list', value: 'gpt-4o-mini' },
        options: { temperature: 0.2 },
      },
      credentials: { openAiApi: { id: '3', name: 'OpenAI' } },
    }),
    node('Simple Memory', '@n8n/n8n-nodes-langchain.memoryBufferWindow', 1.3),
    node('Calculator', '@n8n/n8n-nodes-langchain.toolCalculator', 1),
    node('Redis', 'redis', 1, {
      parameters: { operation: 'get', propertyName: 'seen', key: '={{ $json.output }}' },
    }),
  ],
  connections: {
    'When chat message received': { main: [main('AI Agent')] },
    'OpenAI Chat Model': { ai_languageModel: [[{ node: 'AI Agent', type: 'ai_languageModel', index: 0 }]] },
    'Simple Memory': { ai_memory: [[{ node: 'AI Agent', type: 'ai_memory', index: 0 }]] },
    Calculator: { ai_tool: [[{ node: 'AI Agent', type: 'ai_tool', index: 0 }]] },
    'AI Agent': { main: [main('Redis')] },
  },
};

/** Parts that have no equal, and settings of nodes. */
export const foreign: JsonObject = {
  name: 'Foreign parts',
  nodes: [
    node("When clicking 'Test workflow'", 'manualTrigger', 1),
    node('Code', 'code', 2, { parameters: { jsCode: 'return items.map(i => i);' } }),
    node('Airtable', 'airtable', 2, { parameters: { operation: 'list' } }),
    node('Müller & Söhne 2', 'set', 2, {
      parameters: {
        keepOnlySet: false,
        values: {
          string: [
            { name: 'a', value: '={{ $env.SECRET }}' },
            { name: 'b', value: '={{ $json.x }}' },
          ],
        },
      },
      disabled: true,
      notes: 'Ask Eva',
    }),
    node('filter', 'filter', 2, {
      parameters: {
        conditions: {
          combinator: 'or',
          conditions: [
            {
              leftValue: '={{ $json.x }}',
              rightValue: 'y',
              operator: { type: 'string', operation: 'regex' },
            },
          ],
        },
      },
    }),
    node('Merge', 'merge', 3, { parameters: { mode: 'combine', combineBy: 'combineByPosition' } }),
    node('Call', 'executeWorkflow', 1.2, {
      parameters: {
        workflowId: { __rl: true, value: '99', mode: 'list' },
        workflowInputs: { value: { id: '={{ $json.x }}' } },
      },
      onError: 'continueErrorOutput',
    }),
  ],
  connections: {
    "When clicking 'Test workflow'": { main: [main('Code', 'Airtable')] },
    Code: { main: [[{ node: 'Merge', type: 'main', index: 0 }]] },
    Airtable: { main: [[{ node: 'Merge', type: 'main', index: 1 }]] },
    Merge: { main: [main('Müller & Söhne 2')] },
    'Müller & Söhne 2': { main: [main('Call')] },
    Call: { main: [main('filter'), []] },
  },
  pinData: { Code: [{ json: { x: 1 } }] },
  active: true,
};

/** List nodes one after the other. */
export const lists: JsonObject = {
  name: 'Lists',
  nodes: [
    node('Start', 'manualTrigger', 1),
    node('Fields', 'set', 3.4, {
      parameters: {
        assignments: {
          assignments: [
            {
              name: 'people',
              type: 'array',
              value: '={{ [{name: "Ada", n: 2}, {name: "Bob", n: 1}, {name: "Ada", n: 2}] }}',
            },
          ],
        },
      },
    }),
    node('Split Out', 'splitOut', 1, { parameters: { fieldToSplitOut: 'people', options: {} } }),
    node('Remove Duplicates', 'removeDuplicates', 2, { parameters: { options: {} } }),
    node('Limit', 'limit', 1, { parameters: { maxItems: 5 } }),
    node('Aggregate', 'aggregate', 1, {
      parameters: { fieldsToAggregate: { fieldToAggregate: [{ fieldToAggregate: 'name' }] }, options: {} },
    }),
    node('Crypto', 'crypto', 1, {
      parameters: { type: 'SHA256', value: "={{ $json.name.join('-') }}", dataPropertyName: 'sum' },
    }),
    node('Result', 'set', 3.4, {
      parameters: {
        assignments: {
          assignments: [
            { name: 'sum', type: 'string', value: '={{ $json.sum }}' },
            { name: 'names', type: 'array', value: '={{ $json.name }}' },
            { name: 'first', type: 'string', value: "={{ $('Limit').first().json.name }}" },
            { name: 'count', type: 'number', value: "={{ $('Limit').all().length }}" },
          ],
        },
      },
    }),
  ],
  connections: {
    Start: { main: [main('Fields')] },
    Fields: { main: [main('Split Out')] },
    'Split Out': { main: [main('Remove Duplicates')] },
    'Remove Duplicates': { main: [main('Limit')] },
    Limit: { main: [main('Aggregate')] },
    Aggregate: { main: [main('Crypto')] },
    Crypto: { main: [main('Result')] },
  },
};

export const exportsOfN8n = { webhookReply: webhookReply(), older, nightly, assistant, foreign, lists };
