import { runInNewContext } from 'node:vm';
import { type JsonObject, problems, readImport } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertN8n } from './convert.ts';
import { kindNames } from './kinds/index.ts';
import { base, convert, one } from './testing/converted.ts';
import { assistant, exportsOfN8n, foreign, lists, nightly, older, webhookReply } from './testing/exports.ts';

const KEYS = (
  'conditions combinator leftValue rightValue operator operation rules values assignments fields string name value url ' +
  'options method sendBody jsonBody bodyParameters parameters rule interval field text messages responseBody respondWith mode'
).split(' ');

const EXISTS = /has no equal here|cannot run here|kept as it is/;

describe('a node', () => {
  it.each<[string, number, JsonObject, string, JsonObject]>([
    [
      'set',
      2,
      { keepOnlySet: true, values: { number: [{ name: 'n', value: '2' }] } },
      'set',
      { mappings: [{ key: 'n', value: 2 }] },
    ],
    [
      'set',
      3,
      {
        fields: {
          values: [
            { name: 'a', stringValue: '={{ $json.x }}' },
            { name: 'b', type: 'booleanValue', booleanValue: 'true' },
          ],
        },
      },
      'set',
      {
        mappings: [
          { key: 'a', value: '$Before.x.toString()' },
          { key: 'b', value: true },
        ],
      },
    ],
    [
      'set',
      3.4,
      { mode: 'raw', jsonOutput: '{"a": "{{ $json.x }}", "b": [1]}' },
      'set',
      {
        mappings: [
          { key: 'a', value: '$Before.x' },
          { key: 'b', value: '$([1])' },
        ],
      },
    ],
    [
      'set',
      3.4,
      { mode: 'raw', jsonOutput: '={"a": {{ $json.x }}, "b": true}' },
      'set',
      {
        mappings: [
          { key: 'a', value: '$Before.x' },
          { key: 'b', value: true },
        ],
      },
    ],
    [
      'if',
      2,
      {
        conditions: {
          combinator: 'or',
          conditions: [
            {
              leftValue: '={{ $json.x }}',
              rightValue: 'a',
              operator: { type: 'string', operation: 'startsWith' },
            },
          ],
        },
      },
      'condition',
      { condition: '$bool(Before.x.startsWith("a"))' },
    ],
    [
      'if',
      1,
      { conditions: { boolean: [{ value1: '={{ $json.x }}', value2: true }] } },
      'condition',
      { condition: '$bool(Before.x == true)' },
    ],
    [
      'if',
      1,
      { conditions: { number: [{ value1: '={{ $json.x }}', operation: 'larger' }] } },
      'condition',
      { condition: '$bool(toNumber(Before.x) != null and toNumber(Before.x) > 0)' },
    ],
    [
      'if',
      1,
      { conditions: { boolean: [{ value1: '={{ $json.x }}' }] } },
      'condition',
      { condition: '$bool(Before.x == false)' },
    ],
    [
      'filter',
      1,
      {
        conditions: { string: [{ value1: '={{ $json.x }}', value2: 'a' }, { value1: '={{ $json.x }}' }] },
        combineConditions: 'OR',
      },
      'condition',
      { condition: '$bool((Before.x == "a") or ((Before.x ?? "") == ""))' },
    ],
    [
      'switch',
      1,
      { value1: '={{ $json.x }}', rules: { rules: [{ value2: 5 }] } },
      'switch',
      {
        expression: '$int(bool(toNumber(Before.x) != null and toNumber(Before.x) < 5) ? 0 : -1)',
        cases: ['0'],
      },
    ],
    [
      'filter',
      2,
      {
        conditions: {
          combinator: 'and',
          conditions: [
            {
              leftValue: '={{ $json.x }}',
              operator: { type: 'string', operation: 'exists', singleValue: true },
            },
          ],
        },
      },
      'condition',
      { condition: '$bool(Before.x != null)' },
    ],
    [
      'switch',
      3,
      {
        rules: {
          values: [
            {
              conditions: {
                conditions: [
                  {
                    leftValue: '={{ $json.x }}',
                    rightValue: 3,
                    operator: { type: 'number', operation: 'gt' },
                  },
                ],
              },
            },
          ],
        },
      },
      'switch',
      {
        expression: '$int(bool(toNumber(Before.x) != null and toNumber(Before.x) > 3) ? 0 : -1)',
        cases: ['0'],
      },
    ],
    [
      'switch',
      1,
      {
        dataType: 'string',
        value1: '={{ $json.x }}',
        rules: { rules: [{ value2: 'a', output: 2 }, { value2: 'b' }] },
        fallbackOutput: 0,
      },
      'switch',
      {
        expression: '$int(bool(Before.x == "a") ? 2 : bool(Before.x == "b") ? 0 : 0)',
        cases: ['0', '1', '2', '3'],
      },
    ],
    [
      'switch',
      2,
      { mode: 'expression', outputsAmount: 3, output: '={{ $json.x }}' },
      'switch',
      { expression: '$Before.x', cases: ['0', '1', '2'] },
    ],
    [
      'switch',
      3,
      { mode: 'expression', numberOutputs: 2, output: '={{ $json.x }}' },
      'switch',
      { expression: '$Before.x', cases: ['0', '1'] },
    ],
    [
      'cron',
      1,
      { triggerTimes: { item: [{ mode: 'everyX' }, { mode: 'everyX', unit: 'minutes', value: 10 }] } },
      'cron',
      { cronExpression: '0 */2 * * *\n*/10 * * * *' },
    ],
    [
      'scheduleTrigger',
      1.2,
      {
        rule: {
          interval: [{ field: 'months', monthsInterval: 3, triggerAtDayOfMonth: 5, triggerAtHour: 9 }],
        },
      },
      'cron',
      { cronExpression: '0 9 5 */3 *' },
    ],
    [
      'respondToWebhook',
      1.1,
      {
        respondWith: 'text',
        responseBody: '<p>',
        options: { responseHeaders: { entries: [{ name: 'Content-Type', value: 'text/html' }] } },
      },
      'htmlOutputMapper',
      { html: '<p>', statusCode: 200, contentType: 'text/html' },
    ],
    [
      'respondToWebhook',
      1.1,
      { respondWith: 'json', responseBody: '={{ { id: $json.x } }}', options: { responseCode: 201 } },
      'htmlOutputMapper',
      {
        html: '$toJsonText(({"id": Before.x}))',
        statusCode: 201,
        contentType: 'application/json; charset=utf-8',
      },
    ],
    [
      'respondToWebhook',
      1.1,
      { respondWith: 'json', responseBody: '{"ok": false}', options: { responseCode: 400 } },
      'htmlOutputMapper',
      { html: '{"ok": false}', statusCode: 400, contentType: 'application/json; charset=utf-8' },
    ],
    [
      'respondToWebhook',
      1.1,
      { respondWith: 'allIncomingItems' },
      'htmlOutputMapper',
      {
        html: '$toJsonText(array(Before))',
        statusCode: 200,
        contentType: 'application/json; charset=utf-8',
      },
    ],
    [
      'respondToWebhook',
      1.1,
      { respondWith: 'noData', options: { responseCode: 204 } },
      'htmlOutputMapper',
      { html: '', statusCode: 204, contentType: 'text/plain; charset=utf-8' },
    ],
    ['wait', 1.1, { amount: 3, unit: 'minutes' }, 'wait', { duration: 180_000 }],
    [
      'stopAndError',
      1,
      { errorMessage: '=No {{ $json.x }}' },
      'throwError',
      { errorMessage: 'No $concat(Before.x)' },
    ],
    [
      'telegram',
      1.2,
      { chatId: '={{ $json.x }}', text: 'Hi' },
      'telegram',
      { chatId: '$concat(Before.x)', message: 'Hi' },
    ],
    [
      'slack',
      1,
      { channel: '#a', text: '=Hi {{ $json.x }}' },
      'slack',
      { channel: '#a', message: 'Hi $concat(Before.x)' },
    ],
    [
      'discord',
      2,
      { authentication: 'webhook', content: 'Hi', options: { username: 'Bot' } },
      'discord',
      { message: 'Hi', username: 'Bot', avatarUrl: '' },
    ],
    [
      'redis',
      1,
      { operation: 'set', key: 'k', value: '={{ $json.x }}', expire: true, ttl: 5 },
      'redis',
      { redisOperation: 'set', redisKey: 'k', redisValue: '$concat(Before.x)', redisTtl: 5 },
    ],
    [
      'awsS3',
      2,
      { operation: 'getAll', bucketName: 'b' },
      's3',
      { s3Operation: 'listObjects', s3Bucket: 'b' },
    ],
    [
      'googleSheets',
      4.5,
      {
        documentId: { __rl: true, value: 'id', mode: 'id' },
        sheetName: { __rl: true, value: 'Tab', mode: 'name' },
      },
      'googleSheets',
      { gsOperation: 'readRange', gsSpreadsheetId: 'id', gsSheetName: 'Tab' },
    ],
    [
      'googleSheets',
      4.5,
      {
        operation: 'append',
        documentId: { __rl: true, value: 'id', mode: 'id' },
        sheetName: { __rl: true, value: 'Tab', mode: 'name' },
        columns: {
          mappingMode: 'defineBelow',
          value: { Name: '={{ $json.x }}', Total: 5 },
          schema: [{ id: 'Name' }],
        },
      },
      'googleSheets',
      {
        gsOperation: 'appendRows',
        gsSpreadsheetId: 'id',
        gsSheetName: 'Tab',
        gsValues: '[{"Name":"$Before.x","Total":5}]',
      },
    ],
    [
      'googleSheets',
      4.5,
      {
        operation: 'append',
        documentId: 'id',
        sheetName: 'Tab',
        columns: { mappingMode: 'autoMapInputData' },
      },
      'googleSheets',
      { gsOperation: 'appendRows', gsValues: '$array(Before)' },
    ],
    [
      'googleDrive',
      3,
      { operation: 'download', fileId: { __rl: true, value: '={{ $json.x }}', mode: 'id' } },
      'googleDrive',
      { gdOperation: 'downloadFile', gdFileId: '$concat(Before.x)' },
    ],
    ['rssFeedRead', 1, { url: '={{ $json.x }}' }, 'rss', { feedUrl: '$concat(Before.x)', limit: '0' }],
    ['telegramTrigger', 1.2, { updates: ['*'] }, 'telegramTrigger', {}],
    [
      'gmailTool',
      2.1,
      {
        sendTo: "={{ $fromAI('to', 'who gets it', 'string') }}",
        subject: "={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('Subject', ``, 'string') }}",
        message: 'Fixed',
      },
      'sendEmail',
      { to: '', subject: '', emailBody: 'Fixed', agentProvidedFields: ['to', 'subject'] },
    ],
    [
      'httpRequestTool',
      4.2,
      { url: 'https://example.com/a' },
      'http',
      { curl: "curl -L -X GET 'https://example.com/a'" },
    ],
    [
      'github',
      1,
      { resource: 'issue', operation: 'get', owner: 'o', repository: 'r', issueNumber: 7 },
      'github',
      { githubOperation: 'getIssue', githubOwner: 'o', githubRepo: 'r', githubIssueNumber: '7' },
    ],
    [
      'jira',
      1,
      { operation: 'get', issueKey: 'A-1' },
      'jira',
      { jiraOperation: 'getIssue', jiraIssueKey: 'A-1' },
    ],
    [
      'notion',
      2,
      { resource: 'databasePage', operation: 'get', pageId: 'p' },
      'notion',
      { notionOperation: 'getPage', notionPageId: 'p' },
    ],
    [
      'postgres',
      2,
      { operation: 'select', table: 't', returnAll: true },
      'postgres',
      { operation: 'select', schema: 'public', table: 't', limit: 0 },
    ],
    [
      'postgres',
      2,
      { operation: 'select', table: 't', limit: '={{ $json.x }}' },
      'postgres',
      { operation: 'select', table: 't', limit: '$Before.x' },
    ],
    [
      'postgres',
      2.5,
      {
        operation: 'select',
        table: { __rl: true, value: 't', mode: 'list' },
        where: {
          values: [
            { column: 'a', value: '={{ $json.x }}' },
            { column: 'b', condition: '>=', value: 5 },
            { column: 'c', condition: 'IS NULL' },
          ],
        },
      },
      'postgres',
      {
        operation: 'select',
        table: 't',
        where: '$({"a": {"eq": Before.x}, "b": {"gte": 5}, "c": null})',
        limit: 50,
      },
    ],
    [
      'postgres',
      2.5,
      {
        schema: 'public',
        table: 't',
        columns: { mappingMode: 'defineBelow', value: { a: '={{ $json.x }}', b: 'c' } },
      },
      'postgres',
      {
        operation: 'insert',
        dataMode: 'selective',
        columns: [
          { key: 'a', value: '$Before.x' },
          { key: 'b', value: 'c' },
        ],
      },
    ],
    [
      'postgres',
      2.5,
      {
        operation: 'upsert',
        table: 't',
        columns: { mappingMode: 'autoMapInputData', matchingColumns: ['id', 'k'] },
      },
      'postgres',
      { operation: 'upsert', data: '$Before', columnsToMatchOn: 'id, k' },
    ],
    [
      'mySql',
      2.4,
      {
        operation: 'update',
        table: 't',
        columns: {
          mappingMode: 'defineBelow',
          value: { id: '={{ $json.x }}', b: 1 },
          matchingColumns: ['id'],
        },
      },
      'mysql',
      {
        operation: 'update',
        table: 't',
        where: '$({"id": Before.x})',
        dataMode: 'selective',
        columns: [{ key: 'b', value: 1 }],
      },
    ],
    [
      'mySql',
      2.4,
      {
        operation: 'executeQuery',
        query: 'SELECT $1, $2',
        options: { queryReplacement: '={{ $json.x }}, b' },
      },
      'mysql',
      { operation: 'executeQuery', query: 'SELECT ?, ?', queryParameters: '$([Before.x, "b"])' },
    ],
    [
      'mySql',
      2.4,
      {
        operation: 'deleteTable',
        table: 't',
        deleteCommand: 'delete',
        where: { values: [{ column: 'a', condition: '!=', value: 'x' }] },
      },
      'mysql',
      { operation: 'delete', table: 't', where: '$({"a": {"neq": "x"}})' },
    ],
    [
      'crypto',
      1,
      { type: 'MD5', value: 'a' },
      'crypto',
      { operation: 'hash', value: 'a', algorithm: 'md5', encoding: 'hex' },
    ],
    [
      'itemLists',
      3,
      { operation: 'limit', maxItems: 2, keep: 'lastItems' },
      'limit',
      { items: '$array(Before)', maxItems: 2, keep: 'last' },
    ],
    ['limit', 1, { maxItems: '={{ $json.x }}' }, 'limit', { items: '$array(Before)', maxItems: '$Before.x' }],
    [
      'supabase',
      1,
      { operation: 'getAll', tableId: 't', limit: '={{ $json.x }}' },
      'supabase',
      { supabaseOperation: 'select', supabaseLimit: '$concat(Before.x)' },
    ],
    [
      'itemLists',
      1,
      {
        operation: 'removeDuplicates',
        compare: 'selectedFields',
        fieldsToCompare: { fields: [{ fieldName: 'x' }] },
      },
      'deduplicate',
      { items: '$array(Before)', compareBy: 'x', keep: 'first' },
    ],
    [
      'itemLists',
      2.2,
      { fieldToSplitOut: 'x', include: 'allOtherFields', options: {} },
      'split',
      { operation: 'field', items: '$array(Before)', splitField: 'x', keepOthers: true },
    ],
    [
      'summarize',
      1,
      { fieldsToSummarize: { values: [{ aggregation: 'sum', field: 'n' }] }, fieldsToSplitBy: 'k' },
      'aggregate',
      { items: '$array(Before)', groupBy: 'k', aggregates: [{ key: 'sum_n', value: 'sum n' }] },
    ],
    [
      'summarize',
      1.1,
      {
        fieldsToSummarize: {
          values: [
            { aggregation: 'countUnique', field: 'n' },
            { aggregation: 'concatenate', field: 'n' },
            { aggregation: 'concatenate', field: 'm', separateBy: '\n' },
            { aggregation: 'concatenate', field: 'o', separateBy: 'other', customSeparator: ' | ' },
            { field: 'n' },
            { aggregation: 'count', field: 'm', includeEmpty: true },
          ],
        },
      },
      'aggregate',
      {
        items: '$array(Before)',
        groupBy: '',
        skipEmpty: true,
        aggregates: [
          { key: 'unique_count_n', value: 'countDistinct n' },
          { key: 'concatenated_n', value: 'join "," n' },
          { key: 'concatenated_m', value: 'join "\\n" m' },
          { key: 'concatenated_o', value: 'join " | " o' },
          { key: 'count_n', value: 'count n' },
          { key: 'count_m', value: 'count' },
        ],
      },
    ],
  ])('%s of version %s: %j', (...[type, version, parameters, made, settings]) => {
    const converted = one(base(type), version, parameters);
    expect(converted).toMatchObject({ type: made, settings });
    expect(converted.lines.filter((line) => EXISTS.test(line))).toEqual([]);
  });

  it.each<[string, JsonObject, RegExp]>([
    ['code', { jsCode: "return $('A').all()" }, /no node "A" with data/],
    ['code', { jsCode: 'return $getWorkflowStaticData()' }, /uses \$getWorkflowStaticData/],
    ['code', { pythonCode: 'return []', language: 'python' }, /its code is Python/],
    ['code', { jsCode: 'return $input.params' }, /more of \$input than its items/],
    ['pipedrive', {}, /no node for "pipedrive"/],
    ['wait', { resume: 'form' }, /waits for "form"/],
    [
      'httpRequest',
      { method: 'POST', sendBody: true, contentType: 'binaryData' },
      /no node before it hands on a file "data"/,
    ],
    ['postgres', { operation: 'executeQuery', query: '=SELECT {{ $json.x }}' }, /expressions inside/],
    ['postgres', { operation: 'deleteTable', table: 't' }, /"truncate" with the whole table/],
    [
      'mySql',
      {
        operation: 'select',
        combineConditions: 'OR',
        where: { values: [{ column: 'a' }, { column: 'b' }] },
      },
      /one is enough/,
    ],
    ['mySql', { operation: 'executeQuery', query: 'SELECT $2, $1' }, /in their order/],
    ['github', { resource: 'release', operation: 'create' }, /"release: create" has no equal/],
  ])('%s of %j is kept with its parameters and says why', (type, parameters, reason) => {
    const { type: made, settings, lines } = one(base(type), 2, parameters);
    expect(made).toBe(base(type));
    expect(settings).toEqual({ parameters, typeVersion: 2 });
    expect(lines).toContainEqual(expect.stringMatching(reason));
  });

  it.each([
    [
      'code',
      'jsCode',
      'for (const item of $input.all()) item.json.twice = item.json.x * 2;\nreturn $input.all();',
    ],
    [
      'function',
      'functionCode',
      "// $env in a comment\nreturn items.map(({ json }) => ({ json: { ...json, twice: json.x * 2, s: '$env' } }));",
    ],
    ['code', 'jsCode', 'return { x: $json.x, twice: $input.first().json.x * 2 };'],
  ])('JavaScript of a %s node becomes a Code node that does the same', async (type, key, script) => {
    const { type: made, settings } = one(base(type), 2, { [key]: script });
    expect(made).toBe('code');
    expect(settings).toMatchObject({
      codeLanguage: 'javascript',
      codeParameters: '{"items":"$array(Before)"}',
    });
    const main = runInNewContext(`${String(settings['codeSource'])}; main`) as (
      params: JsonObject,
    ) => Promise<JsonObject[]>;
    expect(await main({ items: [{ x: 4 }] })).toMatchObject([{ x: 4, twice: 8 }]);
  });

  it('keeps nodes of other packages, also when one here has the same name', () => {
    const { type, lines } = one('n8n-nodes-example.webhook', 1, { path: 'a' });
    expect(type).toBe('n8n-nodes-example.webhook');
    expect(lines).toContainEqual(expect.stringContaining('no node for "n8n-nodes-example.webhook"'));
  });

  it('keeps an expression that cannot be translated, and names the field and the text', () => {
    const { settings, lines } = one(base('telegram'), 1, { chatId: '1', text: '={{ $env.SECRET }}' });
    expect(settings['message']).toBe('={{ $env.SECRET }}');
    expect(lines).toContainEqual(expect.stringContaining('={{ $env.SECRET }}'));
  });

  it('reports every setting that is left out, and no empty one', () => {
    const { lines } = one(base('telegram'), 1, {
      chatId: '1',
      text: 'a',
      additionalFields: { reply_to_message_id: 5, disable: false },
      replyMarkup: 'none',
      topic: 'a',
    });
    expect(lines.filter((line) => line.startsWith('The setting'))).toEqual([
      'The setting "additionalFields.reply_to_message_id" has no equal here and was left out',
      'The setting "topic" has no equal here and was left out',
    ]);
  });

  it('takes over repeats, errors, pinned data and being switched off', () => {
    const rest = {
      retryOnFail: true,
      maxTries: 20,
      waitBetweenTries: 500,
      onError: 'continueErrorOutput',
      disabled: true,
    };
    expect(one(base('telegram'), 1, { chatId: '1', text: 'a' }, rest).settings).toMatchObject({
      retryEnabled: true,
      retryMaxAttempts: 10,
      retryWaitSeconds: 1,
      onErrorEnabled: true,
      active: false,
    });
    const { node } = convert({ ...lists, pinData: { Fields: [{ json: { people: [] } }] } });
    expect(node('Fields')?.data['pinnedData']).toEqual({ people: [] });
  });

  it('writes one command with quotes that no value can leave', () => {
    const { settings } = one(base('httpRequest'), 4.2, {
      method: 'PUT',
      url: "=https://example.com/it's/{{ $json.x }}",
      sendBody: true,
      bodyParameters: { parameters: [{ name: 'a', value: "={{ 'it\\'s ' + $json.x }}" }] },
      options: { response: { response: { neverError: true } } },
    });
    expect(settings['curl']).toBe(
      String.raw`curl -L -X PUT 'https://example.com/it'\''s/$concat(Before.x)' -H 'Content-Type: application/json' ` +
        String.raw`--data-raw '$array({"a": concat("it\u0027s ", Before.x)}).first()'`,
    );
  });
});

describe('a workflow', () => {
  it('reads data of n8n from the node that has it here', () => {
    const { node, edges } = convert(webhookReply());
    expect(node('isItLarge')?.data['condition']).toContain('toNumber(editFields.total) > 100');
    expect(node('Respond')?.data['mappings']).toEqual([
      { key: 'accepted', value: '$httpRequest.body.ok' },
      { key: 'text', value: '$concat(editFields.label, "!")' },
    ]);
    expect(edges).toContain('isItLarge:true>httpRequest:');
    expect(edges).toContain('isItLarge:false>tooSmall:');
  });

  it('finds fields of a set node that hands on others, and those others before it', () => {
    const { node } = convert(older);
    expect(node('IFNode')?.data['condition']).toBe(
      '$bool((Set.city.contains("U")) and (toNumber(Set.count) != null and toNumber(Set.count) >= 3))',
    );
    expect(node('Switch')?.data).toMatchObject({ expression: '$Set.city', cases: ['Ulm', 'Bonn'] });
  });

  it.each<[string, number, JsonObject]>([
    ['fields', 3.2, { fields: { values: [{ name: 'a', stringValue: 'b' }] } }],
    ['JSON', 3.2, { mode: 'raw', jsonOutput: '={"a": {{ 1 }}}' }],
    [
      'fields since 3.3',
      3.4,
      { includeOtherFields: true, assignments: { assignments: [{ name: 'a', value: 'b' }] } },
    ],
  ])('reads what a set node with %s keeps from the node before', (_, version, parameters) => {
    const set = (name: string, typeVersion: number, rest: JsonObject): JsonObject => ({
      name,
      type: base('set'),
      typeVersion,
      parameters: rest,
    });
    const { node } = convert({
      nodes: [
        set('One', 3.4, { assignments: { assignments: [{ name: 'x', value: 'y' }] } }),
        set('Two', version, parameters),
        { name: 'Three', type: base('telegram'), parameters: { text: '={{ $json.x }} {{ $json.a }}' } },
      ],
      connections: {
        One: { main: [[{ node: 'Two', type: 'main', index: 0 }]] },
        Two: { main: [[{ node: 'Three', type: 'main', index: 0 }]] },
      },
    });
    expect(node('Three')?.data['message']).toBe('$concat(One.x) $concat(Two.a)');
  });

  it.each<[string, number, JsonObject]>([
    ['4.2', 4.2, { options: { response: { response: { responseFormat: 'text' } } } }],
    ['1', 1, { responseFormat: 'string' }],
  ])('reads the text of an answer that a request of version %s asks for', (_, typeVersion, parameters) => {
    const { node, lines } = convert({
      nodes: [
        {
          name: 'Fetch',
          type: base('httpRequest'),
          typeVersion,
          parameters: { url: 'https://example.com', ...parameters },
        },
        { name: 'Send', type: base('telegram'), parameters: { chatId: '1', text: '={{ $json.data }}' } },
      ],
      connections: { Fetch: { main: [[{ node: 'Send', type: 'main', index: 0 }]] } },
    });
    expect(node('Send')?.data['message']).toBe('$concat(Fetch.body)');
    expect(lines('Fetch').filter((line) => line.startsWith('The setting'))).toEqual([]);
  });

  it('reads the update of a bot, and the entries of a feed by the names that they have here', () => {
    const { node, lines } = convert({
      nodes: [
        { name: 'Bot', type: base('telegramTrigger'), parameters: { updates: ['message'] } },
        { name: 'Feed', type: base('rssFeedRead'), parameters: { url: 'https://example.com/feed' } },
        {
          name: 'Send',
          type: base('telegram'),
          parameters: {
            chatId: "={{ $('Bot').item.json.message.chat.id }}",
            text: '={{ $json.isoDate }} {{ $json.link }}',
          },
        },
      ],
      connections: {
        Bot: { main: [[{ node: 'Feed', type: 'main', index: 0 }]] },
        Feed: { main: [[{ node: 'Send', type: 'main', index: 0 }]] },
      },
    });
    expect(node('Send')?.data).toMatchObject({
      chatId: '$concat(Bot.update.message.chat.id)',
      message: '$concat(SendLoop.item.published) $concat(SendLoop.item.link)',
    });
    expect(lines('Bot')).toContain('It starts with every kind of update here, and not only: message');
  });

  it('gives each node an id of its own, also where some have none', () => {
    const start = (name: string, id?: string): JsonObject => ({
      name,
      type: base('noOp'),
      ...(id === undefined ? {} : { id }),
    });
    const { document, repairs } = convert({
      nodes: [start('A', 'node_2'), start('B'), start('C', 'node_2')],
    });
    expect(document.nodes.map(({ id }) => id)).toEqual(['node_2', 'node_2_2', 'node_3']);
    expect(repairs).toEqual([]);
  });

  it('refuses more nodes or connections than a workflow may have before it reads them', () => {
    const nodes = Array.from({ length: 10_001 }, (_, index) => ({ name: `N${index}`, type: base('noOp') }));
    expect(() => convertN8n({ nodes })).toThrow(/nodes: Has 10001 entries/);
    const end = { node: 'A', type: 'main', index: 0 };
    const connections = { A: { main: [Array.from({ length: 40_001 }, () => end)] } };
    expect(() => convertN8n({ nodes: [{ name: 'A', type: base('noOp') }], connections })).toThrow(
      /connections: Has 40001 entries/,
    );
  });

  it('refuses what is nested too deep, in texts too', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const { type, lines } = one(base('set'), 3.4, { mode: 'raw', jsonOutput: `{"a": ${deep}}` });
    expect(type).toBe(base('set'));
    expect(lines).toContainEqual(expect.stringContaining('not a fixed object'));
    const json = JSON.parse(`{"nodes": [], "connections": {}, "pinData": ${deep}}`) as JsonObject;
    expect(() => convertN8n(json)).toThrow(/nested deeper/);
  });

  it('draws loops with their way back, and reads the item of the round', () => {
    const { node, edges, lines } = convert(nightly);
    expect(edges).toEqual(
      expect.arrayContaining([
        'loopOverItems:loop>Telegram:',
        'loopOverItems:done>MailLoop:',
        'Wait:>loopOverItems:loop',
      ]),
    );
    expect(node('loopOverItems')?.data['arrayExpression']).toBe('$SortNode.items');
    expect(node('Telegram')?.data['message']).toContain('loopOverItems.item.id');
    expect(node('everyNight')?.data).toMatchObject({
      cronExpression: '30 3 * * *',
      timeZone: 'Europe/Berlin',
    });
    expect(lines('Telegram')).toEqual(['Choose a credential; in n8n it was "Bot" of the type "telegramApi"']);
  });

  it('makes the model, the memory and the calculator of an agent its settings', () => {
    const { document, node, edges } = convert(assistant);
    expect(node('aiAgent')).toMatchObject({
      type: 'agent',
      data: {
        model: 'gpt-4o-mini',
        temperature: 0.2,
        maxToolIterations: 5,
        userMessage: '$concat(whenChatMessageReceived.text)',
      },
    });
    expect(document.nodes).toHaveLength(3);
    expect(edges).toEqual(['whenChatMessageReceived:>aiAgent:', 'aiAgent:>Redis:']);
    expect(node('Redis')?.data['redisKey']).toBe('$concat(aiAgent.text)');
  });

  it('renames what expressions cannot name, in expressions too, and says so', () => {
    const { node, lines } = convert(foreign);
    expect(node('mullerSohne2')?.data['active']).toBe(false);
    expect(lines('Müller & Söhne 2')).toContainEqual(
      expect.stringContaining('Its label is "mullerSohne2" here'),
    );
    const [mapping] = (node('Call')?.data['executeInputMappings'] ?? []) as { value: string }[];
    // Items of the lists of two nodes are joined by their place.
    expect(node('Merge')).toMatchObject({ type: 'join', data: { pairBy: 'position', keep: 'both' } });
    expect(mapping?.value).toBe('$Merge.items[0].x');
  });

  it.each(Object.entries(exportsOfN8n))('%s has no problem that the report does not name', (_, json) => {
    const { document, warnings, repairs } = convert(json);
    expect(repairs).toEqual([]);
    const reported = (id: string | null) => {
      const place = `nodes.${document.nodes.findIndex((node) => node.id === id)}`;
      return warnings.some(({ field }) => field === place || field.startsWith(`${place}.`));
    };
    const unnamed = problems(document, catalog).filter(
      ({ node_id, code }) => code !== 'missing_param' && !reported(node_id),
    );
    expect(unnamed).toEqual([]);
  });

  it('never throws, and makes a graph that can be imported, of any JSON in the shape of an export', () => {
    const name = fc.constantFrom('A', 'B', 'C d', '');
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '={{ $json.x }}',
        "={{ $('A').item.json.x }}",
        '={{',
        '={{ }}',
        '=a{{ {a: 1} }}',
        '={"a": {{ 1 }}}',
        '$x',
      ),
    );
    const { json: parameters } = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(fc.oneof(fc.constantFrom(...KEYS), fc.string()), tie('json'), { maxKeys: 6 }),
      ),
    }));
    const types = [...kindNames, 'code', 'lmChatOpenAi'].map((type) => `n8n-nodes-base.${type}`);
    const node = fc.record(
      {
        id: fc.oneof(fc.string(), fc.integer()),
        name: fc.oneof(name, fc.jsonValue()),
        type: fc.constantFrom(...types),
        typeVersion: fc.oneof(fc.constantFrom(1, 2, 3, 3.4), fc.jsonValue({ maxDepth: 0 })),
        position: fc.jsonValue({ maxDepth: 1 }),
        parameters,
        onError: fc.constantFrom('continueErrorOutput', 'continueRegularOutput', 'stop'),
        disabled: fc.boolean(),
      },
      { requiredKeys: ['name', 'type'] },
    );
    const end = fc.record({ node: name, index: fc.integer({ min: -1, max: 3 }) });
    const ends = fc.array(fc.array(fc.oneof(end, fc.jsonValue({ maxDepth: 0 })), { maxLength: 3 }), {
      maxLength: 3,
    });
    const kindsOfEdges = fc.dictionary(fc.constantFrom('main', 'ai_tool', 'ai_languageModel', 'x'), ends);
    const exported = fc.record({
      name: fc.jsonValue({ maxDepth: 0 }),
      nodes: fc.array(fc.oneof(node, fc.jsonValue({ maxDepth: 1 })), { maxLength: 5 }),
      connections: fc.dictionary(name, kindsOfEdges),
      settings: fc.jsonValue({ maxDepth: 2 }),
      pinData: fc.jsonValue({ maxDepth: 2 }),
    });
    fc.assert(
      fc.property(exported, (json) => {
        const { workflow } = convertN8n(json as JsonObject);
        const { document } = readImport(workflow);
        problems(document, catalog);
      }),
      { numRuns: 1_000 },
    );
  });
});
