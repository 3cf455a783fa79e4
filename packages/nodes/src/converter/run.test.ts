import type { Json, JsonObject } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import { emptyDrive } from '../testing/fake-services.ts';
import { runNode } from '../testing/run-node.ts';

const convert = (conversion: string, source: Json, more: JsonObject = {}) =>
  runNode(
    'converter',
    { conversion, source: '$input.value', ...more },
    { inputs: { start: { value: source } } },
  );

test.each<[string, Json, JsonObject, Json]>([
  ['csvToJson', '\uFEFFname,age\nAda, 36 \n', {}, [{ name: 'Ada', age: '36' }]],
  ['csvToJson', 'a;b\n"x;""y""\nz";2', { delimiter: ';' }, [{ a: 'x;"y"\nz', b: '2' }]],
  ['csvToJson', 'a\tb\n 1 \t2', { delimiter: '\\t', trimValues: false }, [{ a: ' 1 ', b: '2' }]],
  [
    'csvToJson',
    '1,2\n3,4',
    { hasHeader: false },
    [
      ['1', '2'],
      ['3', '4'],
    ],
  ],
  ['csvToJson', 'a,a,a_2,\n1,2,3,4,5', {}, [{ a: '1', a_3: '2', a_2: '3', column_4: '4', column_5: '5' }]],
  ['csvToJson', 'a,b\n1', {}, [{ a: '1', b: '' }]],
  ['csvToJson', ' \n', {}, []],
  ['csvToJson', '__proto__,b\n1,2', {}, [{ __proto___2: '1', b: '2' }]],
  [
    'jsonToCsv',
    [
      { a: 1, b: 'x,"y"' },
      { b: null, c: [1] },
    ],
    {},
    'a,b,c\n1,"x,""y""",\n,,[1]',
  ],
  ['jsonToCsv', '[{"a": 1, "b": 2}]', { converterColumns: 'b, a', delimiter: ';' }, 'b;a\n2;1'],
  ['jsonToCsv', [{ a: true }], { includeHeader: false }, 'true'],
  ['jsonToCsv', ['a,b', 2, null, [3, 4]], {}, '"a,b"\n2\n\n3,4'],
  [
    'jsonToCsv',
    [
      [1, null],
      ['x', 2.5],
    ],
    {},
    '1,\nx,2.5',
  ],
  ['jsonToCsv', { a: 1 }, {}, 'a\n1'],
  ['jsonToCsv', { '=a': '=1', b: -1, c: '-1' }, {}, '=a,b,c\n=1,-1,-1'],
  ['jsonToCsv', { '=a': '=1', b: -1, c: '-1' }, { escapeFormulas: true }, '"\'=a",b,c\n"\'=1",-1,"\'-1"'],
  ['jsonToCsv', [['@x', true, null]], { escapeFormulas: true }, '"\'@x",true,'],
  [
    'xmlToJson',
    '<?xml version="1.0"?><r id="1"><i>a &amp; b</i><i><![CDATA[<c>]]></i><e/><t lang="de">x</t></r>',
    {},
    { r: { '@id': '1', i: ['a & b', '<c>'], e: '', t: { '@lang': 'de', '#text': 'x' } } },
  ],
  ['yamlToJson', 'a: 9007199254740993\nb: -12\nc: 1e3', {}, { a: '9007199254740993', b: -12, c: 1000 }],
  ['jsonToYaml', '{"id": 9007199254740993}', {}, 'id: "9007199254740993"\n'],
  ['yamlToJson', 'a: 1\nb: [x, true, .nan]\nc:', {}, { a: 1, b: ['x', true, null], c: null }],
  ['jsonToYaml', { a: 1, b: ['x', 'true'] }, {}, 'a: 1\nb:\n  - x\n  - "true"\n'],
  ['markdownToHtml', '# A\n\n- b', {}, '<h1>A</h1>\n<ul>\n<li>b</li>\n</ul>\n'],
  ['textToBase64', 'ä', {}, 'w6Q='],
  ['base64ToText', 'w6Q=', {}, 'ä'],
])('%s of %j with %j', async (conversion, source, more, result) => {
  expect(await convert(conversion, source, more)).toEqual({ output: { result, conversion } });
});

test('an empty source is the first input, or its text', async () => {
  const run = (conversion: string, start: Json) =>
    runNode('converter', { conversion, source: '' }, { inputs: { start } });
  expect(await run('jsonToCsv', { a: 1 })).toMatchObject({ output: { result: 'a\n1' } });
  expect(await run('textToBase64', { text: 'a' })).toMatchObject({ output: { result: 'YQ==' } });
});

test('an expression that gives nothing does not stand for the first input', async () => {
  const inputs = { start: { value: '', text: 'other' } };
  const data = { conversion: 'textToBase64', source: '$input.value' };
  expect(await runNode('converter', data, { inputs })).toMatchObject({ failure: { field: 'source' } });
});

test.each<[string, Json, JsonObject, string]>([
  ['csvToJson', null, {}, 'source'],
  ['csvToJson', [1], {}, 'source'],
  ['csvToJson', 'a\n"open', {}, 'source'],
  ['csvToJson', 'a', { delimiter: ';;' }, 'delimiter'],
  ['csvToJson', 'a', { delimiter: '"' }, 'delimiter'],
  ['jsonToCsv', '{broken', {}, 'source'],
  ['jsonToCsv', [{ a: 1 }, [2]], {}, 'source'],
  ['jsonToCsv', 5, {}, 'source'],
  ['xmlToJson', 'plain', {}, 'source'],
  ['xmlToJson', '<a>'.repeat(300), {}, 'source'],
  ['yamlToJson', 'a: [1', {}, 'source'],
  ['base64ToText', '/w==', {}, 'source'],
  ['base64ToText', 'not base64!', {}, 'source'],
  ['imageToText', 'x', { converterFileId: 'f' }, 'conversion'],
  ['xmlToJson', '<__proto__>x</__proto__>', {}, 'source'],
  ['pdfToText', null, {}, 'converterFileId'],
  ['fileConvert', 'x', { converterFileId: 'f' }, 'converterTargetFormat'],
])('%s of %j with %j is refused by the name of its field', async (conversion, source, more, field) => {
  expect(await convert(conversion, source, more)).toMatchObject({
    failure: { kind: 'params', field, final: true },
  });
});

test('a document that takes too long fails with the name of its field and is not retried', async () => {
  expect(await convert('yamlToJson', '? '.repeat(500))).toEqual({
    failure: {
      kind: 'limit',
      field: 'source',
      message: 'The YAML document took longer than 4 seconds to read',
      final: true,
    },
  });
});

test('a run that is cancelled does not wait for its document', async () => {
  const cancel = new AbortController();
  const reason = new Error('cancelled');
  setTimeout(() => cancel.abort(reason), 500);
  const data = { conversion: 'yamlToJson', source: '$input.value' };
  const inputs = { start: { value: '? '.repeat(500) } };
  await expect(runNode('converter', data, { inputs, signal: cancel.signal })).rejects.toBe(reason);
});

test('CSV rows that would be padded to millions of cells are rejected', async () => {
  const text = `${','.repeat(5_000)}${'\na'.repeat(2_000)}`;
  expect(await convert('csvToJson', text)).toMatchObject({ failure: { kind: 'params', field: 'source' } });
});

test('aliases of YAML that grow without end are refused', async () => {
  const lines = Array.from({ length: 12 }, (_, n) => `a${n}: &a${n} [${`*a${n - 1},`.repeat(9)}x]`);
  const bomb = ['a: &a [x]', ...lines].join('\n').replaceAll('*a-1', '*a');
  expect(await convert('yamlToJson', bomb)).toMatchObject({ failure: { field: 'source' } });
});

describe('files', () => {
  const file = {
    id: 'f',
    filename: 'a.pdf',
    mime_type: 'application/pdf',
    size_bytes: 9,
    download_url: '/dl/f',
  };
  const { download_url: _, ...described } = file;
  const files = {
    ...emptyDrive(),
    find: () => Promise.resolve(file),
    pages: () => Promise.resolve({ file, pages: ['one', 'two', 'three'] }),
    convert: (reference: string, format: string, { key }: { key: string }) =>
      Promise.resolve({ ...file, id: `${reference} ${key}`, filename: `a.${format}` }),
  };
  const run = (data: JsonObject) =>
    runNode('converter', { converterFileId: 'f', ...data }, { services: { files } });

  test.each([
    ['', [1, 2, 3]],
    ['3, 1-2, 2', [3, 1, 2]],
  ])('pages "%s" of a PDF file', async (ocrPageRange, pages) => {
    const texts = ['one', 'two', 'three'];
    expect(await run({ conversion: 'pdfToText', ocrPageRange })).toEqual({
      output: {
        conversion: 'pdfToText',
        result: pages.map((page) => texts[page - 1]).join('\n\n'),
        language: 'auto',
        encoding: 'utf-8',
        page_count: 3,
        pages: pages.map((page) => ({ page, text: texts[page - 1] })),
        file: described,
      },
    });
  });

  test('the language is the one that an export names', async () => {
    const runPdfToText = async (data: JsonObject) => {
      const result = await run({ conversion: 'pdfToText', ...data });
      return 'output' in result ? result.output : result;
    };
    expect(await runPdfToText({ ocrLanguage: 'deu' })).toMatchObject({ language: 'deu' });
    const custom = { ocrLanguage: 'custom', ocrLanguageCustom: 'deu+eng' };
    expect(await runPdfToText(custom)).toMatchObject({ language: 'deu+eng' });
  });

  test.each(['4', '0', '2-1', 'a', '1-99999999'])('there is no page "%s"', async (ocrPageRange) => {
    expect(await run({ conversion: 'pdfToText', ocrPageRange })).toMatchObject({
      failure: { field: 'ocrPageRange' },
    });
  });

  test.each<[string, Json]>([
    ['$input.file', { file: { id: 'f' } }],
    ['$input', { file: { id: 'f' } }],
    ['$input.files', { files: [{ file_id: 'f' }] }],
    ['', { file: { id: 'f' } }],
  ])('the file "%s" of %j', async (converterFileId, start) => {
    const data = { conversion: 'fileConvert', converterFileId, converterTargetFormat: 'md' };
    const result = await runNode('converter', data, { inputs: { start }, services: { files } });
    expect(result).toMatchObject({ output: { filename: 'a.md' } });
  });

  test('a file in another format is a new file, made once', async () => {
    const made = {
      ...described,
      id: 'f run-1:node-1:',
      filename: 'a.md',
      download_url: '/dl/f',
    };
    expect(await run({ conversion: 'fileConvert', converterTargetFormat: 'md' })).toEqual({
      output: {
        conversion: 'fileConvert',
        result: made,
        status: 'success',
        target_format: 'md',
        ...made,
        source_file: described,
      },
    });
  });
});

test('Markdown that is nested too deeply fails with the name of its field', async () => {
  expect(await convert('markdownToHtml', `${'>'.repeat(20_000)} a`)).toMatchObject({
    failure: { kind: 'params', field: 'source', message: expect.stringContaining('nested too deeply') },
  });
});

test('YAML that is nested too deeply fails with the name of its field', async () => {
  expect(await convert('yamlToJson', '- '.repeat(20_000))).toMatchObject({
    failure: { kind: 'params', field: 'source', message: expect.stringContaining('nested too deeply') },
  });
});
