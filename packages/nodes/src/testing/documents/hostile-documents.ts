import { strToU8, zipSync } from 'fflate';
import { Maker } from './hostile-maker.ts';
import { yamlText } from './hostile-yaml.ts';

const CSV = [
  ',',
  '"',
  '""',
  '\n',
  'a,',
  '#,',
  '__proto__,',
  '\r',
  '"a"b,',
  'a\n',
  ' ',
  '\n,',
  '1,2\n',
  'a,a_#,',
];
const XML = [
  '<a>',
  '</a>',
  '<a/>',
  '<a #="1">',
  '<a#>',
  '</b>',
  '<![CDATA[',
  ']]>',
  '<!--',
  '-->',
  '<?',
  '?>',
  '&lt;',
  '&',
  '<',
  '>',
  'x',
  '<!',
  '<!DOCTYPE a [',
  '<rss><channel>',
  '<item>',
  '<title>',
  '="',
];
const MARKDOWN = [
  '>',
  '[',
  '](',
  '*',
  '_',
  '**a ',
  '*a_',
  '`',
  '``a',
  '![',
  '<',
  '<a ',
  '<!--',
  '- ',
  '  - a\n',
  '~~a',
  '|',
  '|a|b|\n',
  '|-|\n',
  '\\',
  '&',
  'a@',
  'www.',
  'http://a',
  '[a]: ',
  '1. ',
  '# ',
  '\n',
  ' ',
  '\t',
  '***a',
  'a*',
  '```\n',
  '---\n',
  '<b>',
  '[#]: x\n',
  '[#]',
  '\n\n',
];
const HTML = [
  '<ul><li>a',
  '<b>',
  '</b>',
  '<b></b>',
  '<i>',
  '<p>',
  '<table><tr><td>',
  '<a href=#>',
  '<div>',
  '</div>',
  '<!--',
  '<script>',
  '<svg>',
  '&amp;',
  '<h1>',
  '<pre>',
  '<ol><li>',
  '<blockquote>',
  '<img src=#>',
  '<select><option>',
  '<template>',
  '<form>',
  '<br>',
  '<a ',
  'x ',
  '<math>',
  '</p>',
];
const SELECTORS = [
  'b',
  'b:has(~ i)',
  'div div div div i',
  ':not(:has(b))',
  'b ~ b ~ i',
  '*:nth-child(2n+1) i',
  ':is(b, i) + i',
  '[href*="a"]',
  'b:has(b:has(i))',
  'li:nth-last-child(3)',
  '* * * * *',
  ':contains("x")',
  'b[',
  'ul > li > ul > li',
  ':only-of-type',
  'b ~ i, i ~ b',
  ':has(> b ~ i)',
];
const SCHEMAS = [
  { anyOf: [{ items: { $ref: '#' } }, { items: { $ref: '#' } }] },
  { uniqueItems: true },
  { allOf: [{ items: { $ref: '#' } }, { items: { $ref: '#' } }], minItems: 1 },
  { items: { anyOf: Array.from({ length: 100 }, (_, at) => ({ const: at })) } },
  { items: { type: 'string', pattern: '^(a+)+$' } },
];

/** A non-recursive schema whose parts can all be compared with all parts of the value. */
function generateSchema(maker: Maker, depth = 0): unknown {
  const inside = () => (depth > 12 ? {} : generateSchema(maker, depth + 1));
  const several = () => Array.from({ length: 1 + maker.below(depth > 1 ? 2 : 60) }, inside);
  const many = (make: (at: number) => unknown) =>
    Array.from({ length: maker.below(400) }, (_, at) => make(at));
  return maker.pick<() => unknown>([
    () => ({ items: inside() }),
    () => ({ anyOf: several() }),
    () => ({ oneOf: several() }),
    () => ({ allOf: several() }),
    () => ({ not: inside() }),
    () => ({ if: inside(), else: inside() }),
    () => ({ contains: inside(), minContains: 2 }),
    () => ({ enum: many((at) => at) }),
    () => ({ enum: many((at) => [at]) }),
    () => ({ const: { a: [1] } }),
    () => ({ properties: Object.fromEntries(many((at) => [`a${at}`, {}]) as [string, unknown][]) }),
    () => ({ required: many((at) => `a${at}`) }),
    () => ({ propertyNames: inside(), additionalProperties: inside() }),
    () => ({
      format: maker.pick(['email', 'uri', 'date-time', 'regex', 'hostname', 'uri-template', 'ipv6']),
    }),
    () => ({ type: maker.pick(['string', 'number', 'array', 'object']) }),
  ])();
}

/** Mistakes that models make in JSON. */
const JSON_PIECES = [
  '"a:',
  '“',
  '"a\n',
  '}',
  ']',
  ',',
  ':',
  "{a: 'b',}, ",
  '"',
  '\\"',
  '`',
  '/*',
  'a(',
  ' + ',
  'NaN ',
];

/** Valid JSON that takes long to read for its length. */
const buildList = (maker: Maker): string => {
  const value = maker.pick(['{}', '[]', '1', '"a"', '{"a":[{}]}', '12345678901234567890', '"\\u0061"']);
  return `[${Array.from({ length: maker.size() / value.length }, () => value).join()}]`;
};

/** Patterns that take long to compile. */
const PATTERNS = ['(a{1,30}){1,30}', '^(a+)+$', '[\\s\\S]{1,1000}', '(a|b|ab){1,100}'];

const schemaWithPatterns = (maker: Maker): unknown => {
  if (maker.below(3) === 0) return maker.pick(SCHEMAS);
  const schema = generateSchema(maker);
  if (maker.below(2) === 0) return schema;
  const fields = Array.from({ length: maker.below(200) }, (_, at) => [
    `a${at}`,
    { type: 'string', pattern: maker.pick(PATTERNS) },
  ]);
  return { type: 'object', properties: { ...Object.fromEntries(fields), a: schema } };
};

/** Each kind generates the arguments of its parser. */
type Make = (maker: Maker) => readonly unknown[];

const zipped = (files: Record<string, string>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)])));

/** Rows with ascending references, as readers expect. */
const ROWS = [
  '<row r="#"><c r="A#"><v>1</v></c></row>',
  '<row r="#"><c r="A#" t="inlineStr"><is><t>a</t></is></c></row>',
  '<row r="#"><c r="A#" t="b"><v>1</v></c><c r="AZ#"><f>A1</f><v>1</v></c></row>',
  '<row r="#"><c r="ZZ#"><v>1</v></c></row>',
  '<row r="#"></row>',
  '<row r="#"/>',
];

/** Column name for a 0-based index: `A` to `Z`, then `AA`. */
const columnName = (at: number): string =>
  (at < 26 ? '' : columnName(Math.floor(at / 26) - 1)) + String.fromCharCode(65 + (at % 26));

const wideRow = (maker: Maker): string => {
  const count = Math.ceil(maker.size() / 26);
  const cells = Array.from({ length: count }, (_, at) => `<c r="${columnName(at)}1"><v>1</v></c>`);
  return `<row r="1">${cells.join('')}</row>`;
};

const sheetText = (maker: Maker): string => {
  const kind = maker.below(8);
  if (kind < 2) return maker.text(SHEET, 10);
  return kind === 2 ? wideRow(maker) : maker.text(ROWS, 10);
};

const SHEET = ['<row r="#">', '<c r="A#">', '<v>1', '</c>', '</row>', '<is><t>a</t>', '<sheetData>', '<!--'];
const WORD = [
  '<w:p>',
  '</w:p>',
  '<w:r><w:t>a</w:t></w:r>',
  '<w:tbl><w:tr><w:tc>',
  '</w:tc></w:tr></w:tbl>',
  '<w:pPr>',
  '<w:br/>',
];
/** Well-formed parts, so that most files are parsed completely. */
const WORD_PARTS = [
  '<w:p><w:r><w:t>a</w:t></w:r></w:p>',
  '<w:p><w:r><w:rPr><w:b/><w:i/></w:rPr><w:t>a</w:t><w:br/></w:r></w:p>',
  '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>a #</w:t></w:r></w:p>',
  '<w:p><w:pPr><w:numPr><w:ilvl w:val="5"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p>',
  '<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr></w:tbl>',
  '<w:bookmarkStart w:id="#" w:name="a#"/>',
  '<w:hyperlink w:anchor="a#"><w:r><w:t>a</w:t></w:r></w:hyperlink>',
  `${'<w:tbl><w:tr><w:tc>'.repeat(30)}<w:p/>${'</w:tc></w:tr></w:tbl>'.repeat(30)}`,
];
const PDF_TEXT = [
  'BT /F1 1 Tf (a) Tj ET\n',
  'q ',
  'Q ',
  '1 0 0 1 # 0 cm ',
  '[(a) # (b)] TJ\n',
  '(',
  '[',
  '<<',
  '/F1 # Tf\n',
  'T* ',
  '/X Do ',
];
const PDF_OBJECTS = [
  '# 0 obj\n',
  '<<',
  '>>',
  '[',
  ']',
  '/Kids [# 0 R]',
  'endobj\n',
  'stream\n',
  'xref\n0 #\n',
  '/Type /Page ',
  'trailer\n',
];

const workbook = (sheet: string): Uint8Array =>
  zipped({
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    'xl/workbook.xml':
      '<workbook xmlns:r="r"><sheets><sheet name="a" sheetId="1" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${sheet}</sheetData></worksheet>`,
  });

const wordFile = (body: string): Uint8Array =>
  zipped({
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
    '_rels/.rels':
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    'word/document.xml': `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
  });

/** Without a cross-reference table, which readers can rebuild. */
const pdf = (content: string, more: string): string => `%PDF-1.7
1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj
2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj
3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>\nendobj
4 0 obj\n<</Length ${content.length}>>\nstream\n${content}\nendstream\nendobj
5 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>\nendobj
${more}trailer\n<</Root 1 0 R/Size 6>>\n%%EOF`;

const nested = (maker: Maker): unknown => {
  let value: unknown = maker.below(2) === 0 ? 'a'.repeat(40) : 1;
  for (let depth = maker.below(60); depth > 0; depth--) value = [value];
  return maker.pick([
    () => value,
    () => Array.from({ length: maker.below(4_000) }, (_, at) => ({ at })),
    () => Array.from({ length: maker.size() }, () => 1),
    () => Array.from({ length: maker.below(400) }, () => [1]),
    () => maker.text(['a', 'a@', 'a.', ':', '(', '1', '/', '%', '-', '{']),
  ])();
};

/** Arguments of parsers by name. */
const MAKERS: Readonly<Record<string, Make>> = {
  yaml: (maker) => [yamlText(maker)],
  csv: (maker) => [maker.text(CSV), { delimiter: ',', hasHeader: maker.below(2) === 0, trimValues: true }],
  xml: (maker) => [maker.below(2) === 0 ? maker.text(XML) : `<r>${maker.text(XML)}`],
  feed: (maker) => [`<rss><channel>${maker.text(XML)}`, 'https://a.example'],
  markdown: (maker) => [maker.text(MARKDOWN)],
  html_elements: (maker) => [
    maker.text(HTML),
    [{ name: 'a', selector: maker.pick(SELECTORS), attributes: ['innerHTML'] }],
    'selectors',
  ],
  page_text: (maker) => [maker.text(HTML), 'https://a.example'],
  arguments: (maker) => [
    { a: nested(maker) },
    { properties: { a: maker.below(3) === 0 ? maker.pick(SCHEMAS) : generateSchema(maker) } },
  ],
  answer_problem: (maker) => [nested(maker), JSON.stringify(generateSchema(maker))],
  answer_schema: (maker) => [JSON.stringify(schemaWithPatterns(maker))],
  json: (maker) => [maker.below(4) === 0 ? maker.text(JSON_PIECES) : buildList(maker)],
  json_answer: (maker) => {
    const may_repair = maker.below(2) === 0;
    return [may_repair ? `[${maker.text(JSON_PIECES)}` : buildList(maker), may_repair];
  },
  eval_score: (maker) => {
    const isSchema = maker.below(2) === 0;
    const wanted = isSchema ? schemaWithPatterns(maker) : nested(maker);
    const expected = { text: JSON.stringify(wanted), mode: 'json' };
    return [isSchema ? 'schema' : 'contains', JSON.stringify(nested(maker)), expected];
  },
  eval_problem: (maker) => [
    'schema',
    Array.from({ length: 20 }, () => ({ text: JSON.stringify(schemaWithPatterns(maker)), mode: 'json' })),
  ],
  mail: (maker) => [
    strToU8(
      maker.text([
        'Content-Type: multipart/mixed; boundary=#\n',
        '--#\n',
        '\n',
        'a: ',
        '=?utf-8?q?=41?= ',
        'To: "',
        '<a@b>,',
        '(',
        ' a\n',
        ';',
      ]),
    ),
  ],
  xlsx: (maker) => [workbook(sheetText(maker)), { hasHeader: true, sheet: '', field: 'file' }],
  html_text: (maker) => [strToU8(maker.text(HTML))],
  csv_text: (maker) => [strToU8(maker.text(CSV))],
  word_text: (maker) => [wordFile(maker.text(maker.below(4) === 0 ? WORD : WORD_PARTS))],
  pdf_pages: (maker) => [
    strToU8(pdf(maker.text(PDF_TEXT, 10), maker.below(3) === 0 ? maker.text(PDF_OBJECTS, 10) : '')),
  ],
};

export const HOSTILE_KINDS: readonly string[] = Object.keys(MAKERS);

/** Arguments for the parser of that name; the same for the same seed. */
export function hostileDocument(
  kind: string,
  { seed, most_characters }: { readonly seed: number; readonly most_characters: number },
): readonly unknown[] {
  const make = MAKERS[kind];
  if (!make) throw new Error(`no documents of the kind ${kind}`);
  return make(new Maker(seed, most_characters));
}
