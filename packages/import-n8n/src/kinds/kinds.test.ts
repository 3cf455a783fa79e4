import { createScope, evaluate, type Json, type JsonObject, problems } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { describe, expect, it } from 'vitest';
import { base, convert, one } from '../testing/converted.ts';

const main = (...targets: readonly string[]): Json[] =>
  targets.map((node) => ({ node, type: 'main', index: 0 }));

/** The node, and a message after it that reads its data. */
function read(type: string, parameters: JsonObject, script: string, version = 2) {
  const { node, lines, document } = convert({
    nodes: [
      {
        name: 'Before',
        type: base('set'),
        typeVersion: 3.4,
        parameters: { assignments: { assignments: [{ name: 'x', value: 'a' }] } },
      },
      { name: 'One', type: base(type), typeVersion: version, parameters },
      {
        name: 'After',
        type: base('set'),
        typeVersion: 3.4,
        // Otherwise it sets fields of every item.
        executeOnce: true,
        parameters: { assignments: { assignments: [{ name: 'v', value: `={{ ${script} }}` }] } },
      },
    ],
    connections: { Before: { main: [main('One')] }, One: { main: [main('After')] } },
  });
  const mappings = (node('After')?.data['mappings'] ?? []) as { value: string }[];
  const made = node('One');
  // A trigger in the middle has an edge into it that is none.
  const ignored = ['missing_param', 'edge_into_error_handler', 'edge_into_trigger'];
  const found = problems(document, catalog).filter(({ code }) => !ignored.includes(code));
  return {
    type: made?.type,
    data: made?.data ?? {},
    value: mappings[0]?.value ?? '',
    lines: lines('One'),
    found,
  };
}

const evaluateCode = (code: string, values: JsonObject): unknown =>
  evaluate(code, 'value', createScope({ values, now: () => 0, uuid: () => '', random: () => 0 }));

describe('what a node hands on is read where it is here', () => {
  it.each<[string, JsonObject, string, JsonObject, unknown]>([
    [
      'markdown',
      { mode: 'markdownToHtml', markdown: '# A' },
      '$json.data',
      { result: '<h1>A</h1>' },
      '<h1>A</h1>',
    ],
    ['xml', {}, '$json.order.id', { result: { order: { id: '7' } } }, '7'],
    [
      'dateTime',
      { operation: 'formatDate', date: '={{ $json.x }}', format: 'yyyy/MM/dd' },
      '$json.formattedDate',
      { value: '2026/01/02' },
      '2026/01/02',
    ],
    [
      'dateTime',
      { operation: 'subtractFromDate', magnitude: '={{ $now }}', duration: 2 },
      '$json.newDate',
      { value: 'd' },
      'd',
    ],
    [
      'dataTable',
      {
        operation: 'get',
        dataTableId: 'x',
        filters: { conditions: [{ keyName: 'city', keyValue: '={{ $json.x }}' }] },
      },
      '$json.city + $json.id',
      { rows: [{ id: 'r1', data: { city: 'Ulm' }, created_at: 'd' }] },
      'Ulmr1',
    ],
    [
      'dataTable',
      { columns: { mappingMode: 'defineBelow', value: { city: '={{ $json.x }}' } } },
      '$json.id',
      { row: { id: 'r1', data: { city: 'Ulm' } } },
      'r1',
    ],
    [
      'supabase',
      { operation: 'get', tableId: 't', filters: { conditions: [{ keyName: 'id', keyValue: '5' }] } },
      '$json.name',
      { rows: [{ name: 'Ada' }] },
      'Ada',
    ],
    [
      'googleSheets',
      {
        documentId: 'd',
        sheetName: 's',
        filtersUI: { values: [{ lookupColumn: 'City name', lookupValue: '={{ $json.x }}' }] },
      },
      '$json.row_number',
      {
        rows: [
          { 'City name': 'b', rowIndex: 2 },
          { 'City name': 'a', rowIndex: 3 },
        ],
      },
      3,
    ],
    [
      'googleSheets',
      { documentId: 'd', sheetName: 's', filtersUI: { values: [{ lookupColumn: 'Done' }] } },
      "$('One').all().length",
      { rows: [{ Done: '' }, { Done: 'x' }, {}] },
      2,
    ],
    [
      'errorTrigger',
      {},
      '$json.execution.error.message + $json.execution.lastNodeExecuted',
      { error: { message: 'No ', node_label: 'A' } },
      'No A',
    ],
    [
      'gmailTrigger',
      { simple: false },
      '$json.from.value[0].address',
      { email: { from: 'Ada', fromAddresses: [{ name: 'Ada', email: 'a@b.c' }] } },
      'a@b.c',
    ],
    ['emailReadImap', {}, '$json.textPlain', { email: { text: 'Hi' } }, 'Hi'],
  ])('%s with %j: %s', (...[type, parameters, script, output, expected]) => {
    const { value, found } = read(type, parameters, script);
    expect(evaluateCode(value, { One: output, Before: { x: 'a' } })).toEqual(expected);
    expect(found).toEqual([]);
  });

  it.each<[string, JsonObject, Json, Json[]]>([
    ['a list of texts', { fieldToSplitOut: 'list' }, ['a', 'b'], [{ list: 'a' }, { list: 'b' }]],
    ['a list of objects', { fieldToSplitOut: 'list' }, [{ n: 1 }], [{ n: 1 }]],
    [
      'another name',
      { fieldToSplitOut: 'list', options: { destinationFieldName: 'one' } },
      [{ n: 1 }],
      [{ one: { n: 1 } }],
    ],
  ])('splitOut of %s', (_, parameters, list, expected) => {
    const { data } = read('splitOut', parameters, '1');
    const [{ value } = { value: '' }] = data['mappings'] as { value: string }[];
    expect(evaluateCode(value, { Before: { list } })).toEqual(expected);
  });
});

describe('settings of a node', () => {
  it.each<[string, number, JsonObject, string, JsonObject]>([
    [
      'splitOut',
      1,
      { fieldToSplitOut: 'list', include: 'allOtherFields' },
      'split',
      { splitField: 'list', keepOthers: true, items: '$array(Before)' },
    ],
    [
      'html',
      1.2,
      { html: '<p>{{ $json.x }}</p>' },
      'set',
      { mappings: [{ key: 'html', value: '$concat("<p>", Before.x, "</p>")' }] },
    ],
    [
      'dateTime',
      2,
      { operation: 'addToDate', magnitude: '={{ $json.x }}', duration: 3, timeUnit: 'hours' },
      'date',
      { operation: 'add', amount: 3, unit: 'hours', value: '$Before.x' },
    ],
    [
      'dateTime',
      2,
      { operation: 'extractDate', date: '={{ $json.x }}', part: 'year' },
      'set',
      { mappings: [{ key: 'datePart', value: '$readDate(Before.x).inZone().year' }] },
    ],
    [
      'graphql',
      1.1,
      { endpoint: 'https://a.example', query: 'query { a }', variables: '={"id": "{{ $json.x }}"}' },
      'graphql',
      { query: 'query { a }', variables: '$({"id": concat(Before.x)})' },
    ],
    [
      'dataTable',
      1,
      {
        operation: 'upsert',
        filters: { conditions: [{ keyName: 'n', condition: 'gte', keyValue: 5 }] },
        columns: { mappingMode: 'autoMapInputData' },
      },
      'dataTable',
      { dataTableOperation: 'upsert', dataTableFilter: '$({"n": {"$gte": 5}})', dataTableData: '$Before' },
    ],
    [
      'dataTable',
      1,
      { operation: 'deleteRows', filters: { conditions: [{ keyValue: '={{ $json.x }}' }] } },
      'dataTable',
      { dataTableOperation: 'remove', dataTableRowId: '$concat(Before.x)' },
    ],
    [
      'supabase',
      1,
      {
        operation: 'update',
        tableId: 't',
        matchType: 'allFilters',
        filters: { conditions: [{ keyName: 'n', condition: 'gt', keyValue: 1 }] },
        fieldsUi: { fieldValues: [{ fieldId: 'a', fieldValue: '={{ $json.x }}' }] },
      },
      'supabase',
      { supabaseFilter: '$({"n": {"gt": 1}})', supabaseData: '{"a":"$Before.x"}', supabaseTable: 't' },
    ],
    [
      'supabase',
      1,
      {
        operation: 'delete',
        tableId: 't',
        filters: {
          conditions: [
            { keyName: 'a', condition: 'eq', keyValue: 1 },
            { keyName: 'b', condition: 'is', keyValue: 'null' },
          ],
        },
      },
      'supabase',
      { supabaseFilter: '$({"or": [{"a": 1}, {"b": {"is": "null"}}]})' },
    ],
    [
      'googleSheets',
      4,
      {
        operation: 'update',
        documentId: 'd',
        sheetName: 's',
        columns: {
          mappingMode: 'defineBelow',
          matchingColumns: ['row_number'],
          value: { row_number: '={{ $json.x }}', Done: 'yes' },
        },
      },
      'googleSheets',
      { gsOperation: 'updateRange', gsUpdateRow: '$concat(Before.x)', gsValues: '[{"Done":"yes"}]' },
    ],
    [
      'googleSheets',
      4,
      { operation: 'clear', documentId: 'd', sheetName: 's' },
      'googleSheets',
      { gsOperation: 'clearRange', gsRange: 'A:ZZZ' },
    ],
    ['webhook', 2, { authentication: 'jwtAuth' }, 'webhookTrigger', { authentication: 'header' }],
    [
      'cron',
      1,
      { triggerTimes: { item: [{ mode: 'everyX', unit: 'minutes', value: 90 }] } },
      'cron',
      { scheduleMode: 'interval', intervalValue: 90, intervalUnit: 'minutes' },
    ],
    [
      'formTrigger',
      2,
      { formFields: { values: [{ fieldLabel: 'Your name', fieldName: 'name' }, { fieldLabel: 'City' }] } },
      'textInput',
      { inputFields: [{ key: 'name' }, { key: 'City' }] },
    ],
    [
      'gmailTrigger',
      1,
      { pollTimes: { item: [{ mode: 'everyX', unit: 'minutes', value: 15 }] } },
      'imapTrigger',
      { pollIntervalMinutes: 15 },
    ],
    [
      'httpRequest',
      4.2,
      { url: 'https://a.example', options: { redirect: { redirect: { followRedirects: false } } } },
      'http',
      { curl: "curl -X GET 'https://a.example'" },
    ],
    [
      'httpRequest',
      4.2,
      { url: 'https://a.example', options: { timeout: 2500 } },
      'http',
      { curl: "curl -L -X GET -m 2.5 'https://a.example'" },
    ],
    ['httpRequest', 3, { url: 'https://a.example' }, 'http', { curl: "curl -X GET 'https://a.example'" }],
    [
      'httpRequest',
      4.2,
      {
        method: 'POST',
        url: 'https://a.example',
        sendBody: true,
        contentType: 'multipart-form-data',
        bodyParameters: { parameters: [{ name: 'a', value: '={{ $json.x }}' }] },
      },
      'http',
      { curl: "curl -L -X POST 'https://a.example' --form-string 'a=$concat(Before.x)'" },
    ],
  ])('%s of version %s: %j', (...[type, version, parameters, made, settings]) => {
    const converted = one(base(type), version, parameters);
    expect(converted).toMatchObject({ type: made, settings });
  });

  it.each<[string, boolean]>([
    ['update', false],
    ['appendOrUpdate', true],
  ])('rows of a sheet that %s finds by a value', (operation, gsAddMissing) => {
    const { type, settings } = one(base('googleSheets'), 4.5, {
      operation,
      documentId: 'd',
      sheetName: 's',
      columns: {
        mappingMode: 'defineBelow',
        matchingColumns: ['Email'],
        value: { Email: '={{ $json.x }}', Done: true },
      },
    });
    expect(type).toBe('googleSheets');
    expect(settings).toEqual({
      gsOperation: 'upsertRows',
      gsSpreadsheetId: 'd',
      gsSheetName: 's',
      gsMatchBy: 'Email',
      gsAddMissing,
      gsValues: '[{"Email":"$Before.x","Done":true}]',
    });
  });

  it.each<[string, JsonObject, RegExp]>([
    [
      'dataTable',
      { operation: 'deleteRows', filters: { conditions: [{ keyName: 'a', keyValue: 1 }] } },
      /one by its id/,
    ],
    [
      'dataTable',
      { operation: 'get', filters: { conditions: [{ keyName: 'a' }, { keyName: 'b' }] } },
      /one of several conditions/,
    ],
    ['supabase', { operation: 'delete', filterType: 'string', filterString: 'a=eq.1' }, /written as a query/],
    [
      'googleSheets',
      { filtersUI: { values: [{ lookupColumn: 'a', lookupValue: '={{ $env.A }}' }] } },
      /\$env/,
    ],
    ['html', { operation: 'convertToHtmlTable' }, /table of items/],
    ['markdown', {}, /to Markdown/],
    ['graphql', { query: '={ a(id: {{ $json.x }}) }' }, /use variables/],
    [
      'httpRequest',
      {
        method: 'POST',
        url: 'https://a.example',
        sendBody: true,
        contentType: 'multipart-form-data',
        bodyParameters: { parameters: [{ parameterType: 'formBinaryData', name: 'file' }] },
      },
      /no node before it hands on a file "data"/,
    ],
  ])('%s with %j is kept and says why', (type, parameters, reason) => {
    const { type: made, lines } = one(base(type), 4, parameters);
    expect(made).toBe(base(type));
    expect(lines).toContainEqual(expect.stringMatching(reason));
  });

  it.each([
    ['equals', 'ABC', true],
    ['notEquals', 'ABC', false],
    ['contains', 'B', true],
    ['notContains', 'B', false],
    ['startsWith', 'AB', true],
    ['endsWith', 'BC', true],
    ['regex', 'ABC', false],
  ])('compares texts without regard to case where n8n does: %s %s', (operation, rightValue, met) => {
    const conditions = {
      options: { caseSensitive: false },
      conditions: [{ leftValue: '={{ $json.x }}', rightValue, operator: { type: 'string', operation } }],
    };
    const { settings, lines } = one(base('if'), 2.2, { conditions });
    expect(evaluateCode(String(settings['condition']), { Before: { x: 'aBc' } })).toBe(met);
    expect(evaluateCode(String(settings['condition']), { Before: { x: null } })).toBe(
      operation.startsWith('not'),
    );
    expect(lines).toEqual([]);
    const { settings: ofSwitch } = one(base('switch'), 3, { rules: { values: [{ conditions }] } });
    expect(evaluateCode(String(ofSwitch['expression']), { Before: { x: 'aBc' } })).toBe(met ? 0 : -1);
  });

  it('tests patterns of conditions', () => {
    const conditions = {
      conditions: [
        {
          leftValue: '={{ $json.x }}',
          rightValue: '/^A/i',
          operator: { type: 'string', operation: 'regex' },
        },
      ],
    };
    const { settings } = one(base('if'), 2, { conditions });
    expect(evaluateCode(String(settings['condition']), { Before: { x: 'abc' } })).toBe(true);
    expect(evaluateCode(String(settings['condition']), { Before: { x: 'b' } })).toBe(false);
  });

  it('does not run out of stack with filters that read one another', () => {
    const count = 2_000;
    const sheet = (index: number): JsonObject => ({
      name: `S${index}`,
      type: base('googleSheets'),
      typeVersion: 4,
      parameters: { filtersUI: { values: [{ lookupColumn: 'a', lookupValue: '={{ $json.a + $json.b }}' }] } },
    });
    const nodes = Array.from({ length: count }, (_, index) => sheet(index));
    const connections = Object.fromEntries(
      nodes.slice(1).map((_, index) => [`S${index}`, { main: [main(`S${index + 1}`)] }]),
    );
    expect(convert({ nodes, connections }).document.nodes.length).toBeGreaterThanOrEqual(count);
  });
});

describe('the time that a request may take', () => {
  it.each<[Json, string, RegExp | null]>([
    [600_000, 'curl -L -X GET -m 300 ', /at most 300 seconds/],
    ['={{ $json.x }}', "curl -L -X GET 'h", /"options.timeout" has no equal/],
    [0, "curl -L -X GET 'h", null],
  ])('%s', (timeout, beginning, line) => {
    const { settings, lines } = one(base('httpRequest'), 4.2, {
      url: 'https://a.example',
      options: { timeout },
    });
    expect(String(settings['curl']).startsWith(beginning)).toBe(true);
    expect(lines).toEqual(line === null ? [] : [expect.stringMatching(line)]);
  });
});
