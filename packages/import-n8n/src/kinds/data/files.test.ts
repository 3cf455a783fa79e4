import { createScope, evaluate, type Json, type JsonObject, problems } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { runNode } from '@millrace/nodes/testing';
import { describe, expect, it } from 'vitest';
import { base, convert } from '../../testing/converted.ts';

const request: JsonObject = {
  type: base('httpRequest'),
  typeVersion: 4.2,
  parameters: {
    url: 'https://example.com/a/list.csv?x=1',
    options: { response: { response: { responseFormat: 'file' } } },
  },
};
const ROWS: JsonObject = { type: base('postgres'), parameters: { operation: 'select', table: 't' } };
const row = (type: string, parameters: JsonObject, typeVersion = 1): JsonObject => ({
  type: base(type),
  typeVersion,
  parameters,
});
const send = (text: string): JsonObject => row('telegram', { chatId: '1', text: `={{ ${text} }}` });

/** Nodes one after the other, behind a manual trigger. */
function inRow(nodes: Readonly<Record<string, JsonObject>>) {
  const all: [string, JsonObject][] = [['Start', row('manualTrigger', {})], ...Object.entries(nodes)];
  const names = all.map(([name]) => name);
  const connections = Object.fromEntries(
    names
      .slice(0, -1)
      .map((name, index) => [name, { main: [[{ node: names[index + 1] ?? '', type: 'main', index: 0 }]] }]),
  );
  return convert({ nodes: all.map(([name, node]) => ({ name, ...node })), connections });
}

type Outputs = Record<string, Json>;

/** Outputs of these nodes, one after the other, behind those that are given. */
async function run({ node }: ReturnType<typeof convert>, given: Outputs, ...labels: string[]) {
  const outputs: Outputs = { ...given };
  for (const label of labels) {
    const { type = '', data = {} } = node(label) ?? {};
    const result = await runNode(type, data, { inputs: outputs });
    if (!('output' in result)) throw new Error(JSON.stringify(result));
    outputs[label] = result.output as Json;
  }
  return outputs;
}

const evaluated = (code: unknown, values: JsonObject): unknown =>
  evaluate(String(code), 'value', createScope({ values, now: () => 0, uuid: () => '', random: () => 0 }));

const answer = (body: Json, more: JsonObject = {}): JsonObject => ({
  status: 200,
  headers: {},
  body,
  request: { method: 'GET', url: 'https://example.com/a/list.csv?x=1', headers: {} },
  ...more,
});
const encoded = (text: string): string => Buffer.from(text).toString('base64');
const decoded = (text: unknown): string => Buffer.from(String(text), 'base64').toString();

describe('files that are read', () => {
  it.each<[string, JsonObject]>([
    ['text', answer('a;b\n1;\n2;x y')],
    ['base64', answer(encoded('\uFEFFa;b\n1;\n2;x y'), { body_encoding: 'base64' })],
  ])('reads rows of CSV that came as %s, without fields that are empty', async (_, http) => {
    const converted = inRow({
      http: request,
      One: row('extractFromFile', { options: { delimiter: ';' } }),
      Send: { ...send('$input.all()'), executeOnce: true },
    });
    expect(converted.lines('One')).toEqual([]);
    const id = converted.node('One')?.id;
    expect(id).toBeDefined();
    expect(problems(converted.document, catalog).filter(({ node_id }) => node_id === id)).toEqual([]);
    const outputs = await run(converted, { http }, 'One');
    const message = String(converted.node('Send')?.data['message']);
    expect(evaluated(message, outputs)).toBe('[{"a": "1"}, {"a": "2", "b": "x y"}]');
  });

  it.each<[string, JsonObject, Json, Json]>([
    ['text', {}, answer('\uFEFFGrüße'), { data: 'Grüße' }],
    ['text', { destinationKey: 'words' }, answer({ a: 1 }), { words: '{"a":1}' }],
    ['xml', {}, answer('<a/>'), { data: '<a/>' }],
    ['fromJson', {}, answer({ a: [1] }), { data: { a: [1] } }],
    ['fromJson', {}, answer(encoded('[{"a":1}]'), { body_encoding: 'base64' }), { data: [{ a: 1 }] }],
    ['binaryToPropery', {}, answer(encoded('\u0000'), { body_encoding: 'base64' }), { data: 'AA==' }],
    ['binaryToPropery', {}, answer('ab'), { data: 'YWI=' }],
  ])('reads %s %o', async (operation, more, http, result) => {
    const converted = inRow({ http: request, One: row('extractFromFile', { operation, ...more }) });
    expect(converted.lines('One')).toEqual([]);
    expect((await run(converted, { http }, 'One'))['One']).toEqual(result);
  });

  it('reads the answer of a request that is set to no format, and a file of Google Drive', async () => {
    const open = inRow({
      http: { ...request, parameters: { url: 'https://example.com' } },
      One: row('extractFromFile', { operation: 'text' }),
    });
    expect((await run(open, { http: answer('abc') }, 'One'))['One']).toEqual({ data: 'abc' });
    const drive = inRow({
      gd: row('googleDrive', { operation: 'download', fileId: 'x' }, 3),
      One: row('extractFromFile', { operation: 'text' }),
    });
    expect((await run(drive, { gd: { content_base64: encoded('abc') } }, 'One'))['One']).toEqual({
      data: 'abc',
    });
  });

  it('reads the file of each item of a list', async () => {
    const converted = inRow({
      Rows: ROWS,
      http: request,
      One: row('extractFromFile', { operation: 'text' }),
    });
    expect(converted.node('OneLoop')?.data['arrayExpression']).toBe('$httpLoop.results');
    const outputs = await run(converted, { OneLoop: { item: answer('second') } }, 'One');
    expect(outputs['One']).toEqual({ data: 'second' });
  });

  it('stores workbooks and PDF files before they are read', async () => {
    const pdf = inRow({ http: request, One: row('extractFromFile', { operation: 'pdf' }) });
    const outputs = await run(pdf, { http: answer(encoded('%PDF'), { body_encoding: 'base64' }) }, 'OneFile');
    expect(outputs['OneFile']).toMatchObject({ id: 'file-1', filename: 'list.csv', size_bytes: 4 });
    expect(pdf.edges).toEqual(['Start:>http:', 'http:>OneFile:', 'OneFile:>OnePages:', 'OnePages:>One:']);
    const read = await run(pdf, { OnePages: { result: 'words', page_count: 2 } }, 'One');
    expect(read['One']).toEqual({ text: 'words', numpages: 2 });

    const book = inRow({
      http: request,
      One: row('spreadsheetFile', { options: { sheetName: 'B' } }, 2),
      Send: send('$json.n'),
    });
    expect(book.node('One')?.data).toMatchObject({
      conversion: 'xlsxToJson',
      converterFileId: '$OneFile.id',
      converterSheet: 'B',
    });
    expect(book.lines('One')).toContainEqual(expect.stringContaining('must be an XLSX workbook'));
    const loop = book.node('SendLoop')?.data['arrayExpression'];
    expect(evaluated(loop, { One: { result: [{ n: 1, m: null }, { n: null }] } })).toEqual([{ n: 1 }, {}]);
  });

  it('reads what moveBinaryData moved', async () => {
    const all = inRow({ http: request, One: row('moveBinaryData', {}), Send: send('$json.a') });
    expect(all.lines('One')).toEqual([]);
    const outputs = await run(all, { http: answer({ a: 5 }) }, 'One');
    expect(evaluated(all.node('Send')?.data['message'], outputs)).toBe('5');
  });

  it.each<[string, JsonObject, string]>([
    ['extractFromFile', { operation: 'rtf' }, 'not read as "rtf"'],
    ['extractFromFile', { operation: 'text', options: { encoding: 'latin1' } }, 'encoding is "latin1"'],
    [
      'extractFromFile',
      { operation: 'text', binaryPropertyName: 'other' },
      'no node before it hands on a file "other"',
    ],
    ['extractFromFile', { operation: 'pdf', options: { password: 'x' } }, 'has a password'],
    ['extractFromFile', { options: { headerRow: false } }, 'no names of columns'],
    ['extractFromFile', { options: { maxRowCount: 5 } }, 'only some of the rows'],
    ['extractFromFile', { operation: 'text', destinationKey: 'a.b' }, 'its field "a.b" is inside of another'],
    ['convertToFile', { operation: 'ods' }, 'not written as "ods"'],
    [
      'convertToFile',
      { operation: 'toText', sourceProperty: 'q[0]' },
      'its field "q[0]" is inside of a list',
    ],
    ['readBinaryFile', { filePath: '/x' }, 'on the disk of the server'],
  ])('keeps %s %o', (type, parameters, reason) => {
    const converted = inRow({ http: request, One: row(type, parameters) });
    expect(converted.lines('One')[0]).toContain('It was kept as it is and cannot run here');
    expect(converted.lines('One')[0]).toContain(reason);
  });

  it('keeps one whose file comes from no node', () => {
    const fromSet = inRow({
      http: request,
      Set: row('set', { fields: {} }, 3.3),
      One: row('extractFromFile', {}),
    });
    expect(fromSet.lines('One')[0]).toContain('no node before it hands on a file "data"');
  });
});

describe('files that are made', () => {
  const rows: Json = [
    { id: 1, name: 'Ä' },
    { id: 2, note: 'x' },
  ];

  it('writes all items as CSV and JSON, and sends them as an attachment', async () => {
    for (const [operation, content] of [
      ['csv', 'id,name,note\n1,Ä,\n2,,x'],
      ['toJson', '[{"id":1,"name":"Ä"},{"id":2,"note":"x"}]'],
    ] as const) {
      const converted = inRow({
        Rows: ROWS,
        One: row('convertToFile', { operation, options: { fileName: 'all.txt' } }, 1.1),
        Mail: row('emailSend', {
          toEmail: 'a@b.example',
          subject: 's',
          text: 't',
          options: { attachments: 'data', appendAttribution: false },
        }),
      });
      expect(converted.node('OneLoop')).toBeUndefined();
      const steps = operation === 'csv' ? ['OneCsv', 'One'] : ['One'];
      const outputs = await run(converted, { Rows: { rows } }, ...steps);
      const [file] = evaluated(converted.node('Mail')?.data['attachments'], outputs) as JsonObject[];
      expect(file?.['filename']).toBe('all.txt');
      expect(decoded(file?.['content_base64'])).toBe(content);
    }
  });

  it.each<[string, JsonObject, JsonObject, string]>([
    ['toText', { sourceProperty: 'a' }, { a: 'Ä' }, 'Ä'],
    ['toText', { sourceProperty: 'a.b' }, { a: { b: { c: 1 } } }, '{"c":1}'],
    ['toBinary', { sourceProperty: 'a' }, { a: encoded('x') }, 'x'],
    ['toBinary', { sourceProperty: 'a', options: { dataIsBase64: false } }, { a: 'x' }, 'x'],
    ['toJson', { mode: 'each' }, { a: 1 }, '{"a":1}'],
    ['toJson', {}, { a: 1 }, '[{"a":1}]'],
  ])('writes %s %o', async (operation, parameters, data, content) => {
    const converted = inRow({ One: row('convertToFile', { operation, ...parameters }, 1.1) });
    expect(converted.lines('One')).toEqual([]);
    const outputs = await run(converted, { Start: data }, 'One');
    expect(decoded((outputs['One'] as JsonObject)['content_base64'])).toBe(content);
  });

  it('writes a workbook and reads its content for nodes after it', () => {
    const converted = inRow({
      Rows: ROWS,
      One: row('spreadsheetFile', {
        operation: 'toFile',
        fileFormat: 'xlsx',
        options: { fileName: 'a.xlsx' },
      }),
      Mail: row('gmail', {
        sendTo: 'a@b.example',
        options: { attachmentsUi: { attachmentsBinary: [{ property: 'data' }] }, appendAttribution: false },
      }),
    });
    expect(converted.node('One')?.data).toMatchObject({ conversion: 'jsonToXlsx', source: '$Rows.rows' });
    expect(converted.node('OneContent')?.data).toMatchObject({
      driveFileId: '$One.id',
      driveIncludeBinary: true,
    });
    const values = { OneContent: { filename: 'a.xlsx', file_base64: 'QQ==' } };
    expect(evaluated(converted.node('Mail')?.data['attachments'], values)).toEqual([
      { filename: 'a.xlsx', content_base64: 'QQ==' },
    ]);
  });

  it('sends a mail without the attachments that are no files here, and says so', () => {
    const { lines, node } = inRow({
      Mail: row('emailSend', { toEmail: 'a@b.example', options: { attachments: 'data' } }),
    });
    expect(node('Mail')?.data['attachments']).toBeUndefined();
    expect(lines('Mail')).toContainEqual(expect.stringContaining('The attachments were left out'));
  });
});
