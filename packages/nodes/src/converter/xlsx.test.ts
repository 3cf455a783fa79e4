import type { Json, JsonObject } from '@millrace/engine';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { runNode } from '../testing/run-node.ts';
import { fromXlsx, toXlsx } from './xlsx.ts';

const READ = { hasHeader: true, sheet: '', field: 'converterFileId' };
const WRITE = { includeHeader: true, columns: [], sheet: '' };

/** A workbook whose cells are written as XML, as other programs make them. */
function workbook(rows: string, styles = '', sheets = ''): Uint8Array {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const relations = 'http://schemas.openxmlformats.org/package/2006/relationships';
  return zipSync({
    'xl/workbook.xml': strToU8(
      `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Data" sheetId="1" r:id="rId1"/>${sheets}</sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': strToU8(
      `<Relationships xmlns="${relations}"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
    ),
    'xl/styles.xml': strToU8(`<styleSheet xmlns="${main}">${styles}</styleSheet>`),
    'xl/worksheets/sheet1.xml': strToU8(
      `<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>`,
    ),
  });
}

const text = (place: string, value: string) => `<c r="${place}" t="inlineStr"><is><t>${value}</t></is></c>`;
const DATES = '<cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs>';

describe('a workbook', () => {
  it.each<[string, Json, Json]>([
    [
      'keeps numbers, truth values, texts and gaps',
      [
        { n: 1.5, b: true, t: 'Zoë\n2' },
        { n: null, b: false, t: '5' },
      ],
      [
        { n: 1.5, b: true, t: 'Zoë\n2' },
        { n: null, b: false, t: '5' },
      ],
    ],
    [
      'keeps texts that look like formulas or identifiers',
      [{ a: '=1+1', b: '007' }],
      [{ a: '=1+1', b: '007' }],
    ],
    [
      'keeps texts that look like an escaped sign',
      [{ a: '_x0041_', b: 'n_x000d__x000D_' }],
      [{ a: '_x0041_', b: 'n_x000d__x000D_' }],
    ],
    ['writes lists and objects as JSON', [{ a: { x: [1] } }], [{ a: '{"x":[1]}' }]],
    [
      'takes the columns of all rows',
      [{ a: 1 }, { b: 2 }],
      [
        { a: 1, b: null },
        { a: null, b: 2 },
      ],
    ],
  ])('%s', async (_, rows, expected) => {
    const [sheet] = await fromXlsx(await toXlsx(rows, WRITE), READ);
    expect(sheet).toEqual({ name: 'Sheet1', rows: expected });
  });

  it('has a sheet for each key of an object of lists, of which one can be read', async () => {
    const bytes = await toXlsx({ Orders: [{ id: 1 }], People: [{ name: 'Ada' }] }, WRITE);
    expect(await fromXlsx(bytes, READ)).toEqual([
      { name: 'Orders', rows: [{ id: 1 }] },
      { name: 'People', rows: [{ name: 'Ada' }] },
    ]);
    expect(await fromXlsx(bytes, { ...READ, sheet: 'People', hasHeader: false })).toEqual([
      { name: 'People', rows: [['name'], ['Ada']] },
    ]);
    await expect(fromXlsx(bytes, { ...READ, sheet: 'Other' })).rejects.toThrow(/it has Orders, People/);
  });

  it('reads days and times by the format of their cells, and leaves out empty rows', async () => {
    const rows =
      `<row r="1">${text('A1', 'day')}${text('B1', 'count')}</row>` +
      '<row r="2"><c r="A2" s="1"><v>45292</v></c><c r="B2"><v>45292</v></c></row>' +
      '<row r="3"/><row r="4"><c r="A4" s="1"><v>45292.5</v></c></row>';
    const [sheet] = await fromXlsx(workbook(rows, DATES), READ);
    expect(sheet?.rows).toEqual([
      { day: '2024-01-01', count: 45292 },
      { day: '2024-01-01T12:00:00.000Z', count: null },
    ]);
  });

  it('names columns without a name, and those of the same name, apart', async () => {
    const rows = `<row r="1">${text('A1', 'a')}${text('B1', 'a')}</row><row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>2</v></c></row>`;
    const [sheet] = await fromXlsx(workbook(rows), READ);
    expect(sheet?.rows).toEqual([{ a: 1, a_2: 2 }]);
  });
});

describe('what is refused', () => {
  it.each<[string, Uint8Array, RegExp]>([
    ['no archive', Buffer.from('a;b'), /no XLSX workbook/],
    ['an archive of something else', zipSync({ 'a.txt': strToU8('a') }), /no XLSX workbook/],
    [
      'an archive that holds too much',
      zipSync({ 'xl/big.xml': new Uint8Array(201 * 1024 * 1024) }),
      /more than 200 MB/,
    ],
    // Each is a file of 2 KB that would fill gigabytes of memory.
    [
      'a cell far from the others',
      workbook('<row r="200000"><c r="XFD200000"><v>1</v></c></row>'),
      /reaches/,
    ],
    ['a column that no sheet has', workbook('<row r="1"><c r="AAAAAAA1"><v>1</v></c></row>'), /reaches/],
    ['a row that no sheet has', workbook('<row r="99999999999"><c r="A99999999999"/></row>'), /reaches/],
    ['such a row in another spelling', workbook('<row r="9e12"><c r="A1"/></row>'), /reaches/],
    ['a place that is written as references', workbook('<row><c r="XFD20000&#48;"/></row>'), /reaches/],
    [
      'one sheet under many names',
      workbook('', '', '<sheet name="Again" sheetId="2" r:id="rId1"/>'.repeat(9)),
      /the same sheet several times/,
    ],
  ])('%s', async (_, bytes, message) => {
    await expect(fromXlsx(bytes, READ)).rejects.toThrow(message);
  });
  it('a text that no cell can hold, and a name that no sheet can have', async () => {
    await expect(toXlsx([{ a: 'x'.repeat(32_768) }], WRITE)).rejects.toThrow(/32767 characters/);
    await expect(toXlsx([], { ...WRITE, sheet: 'a/b' })).rejects.toThrow(/no name of a sheet/);
    await expect(toXlsx({ Orders: [], orders: [] }, WRITE)).rejects.toThrow(/two sheets "orders"/);
  });
});

it('goes from a node to the Drive and back', async () => {
  let stored: Uint8Array = new Uint8Array();
  const file = { id: 'f', filename: 'r.xlsx', mime_type: 'application/x', size_bytes: 1, download_url: '/d' };
  const files = {
    store: async ({ body }: { body: AsyncIterable<Uint8Array> }) => {
      const parts: Uint8Array[] = [];
      for await (const part of body) parts.push(part);
      stored = Buffer.concat(parts);
      return file;
    },
    open: () => Promise.resolve({ file, body: once(stored) }),
  };
  const run = (data: JsonObject) =>
    runNode('converter', data, {
      inputs: { start: { rows: [{ a: 1 }] } },
      services: { files: files as never },
    });
  expect(
    await run({ conversion: 'jsonToXlsx', source: '$start.rows', converterFilename: 'r' }),
  ).toMatchObject({
    output: { id: 'f', download_url: '/d', target_format: 'xlsx', conversion: 'jsonToXlsx' },
  });
  expect(await run({ conversion: 'xlsxToJson', converterFileId: 'f' })).toMatchObject({
    output: { result: [{ a: 1 }], sheets: [{ name: 'Sheet1', rows: [{ a: 1 }] }], file: { id: 'f' } },
  });
});

async function* once(bytes: Uint8Array) {
  yield await Promise.resolve(bytes);
}
