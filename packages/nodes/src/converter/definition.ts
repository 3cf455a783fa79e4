import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { defineOperations } from '../kit/integration/operations.ts';

const FILE = 'converterFileId';
const CSV = ['source', 'delimiter'];

const { params: all, effect } = defineOperations({
  key: 'conversion',
  initial: 'csvToJson',
  operations: {
    csvToJson: { title: 'CSV to JSON', effect: 'pure', fields: [...CSV, 'hasHeader', 'trimValues'] },
    jsonToCsv: {
      title: 'JSON to CSV',
      effect: 'pure',
      fields: [...CSV, 'includeHeader', 'converterColumns', 'escapeFormulas'],
    },
    xlsxToJson: { title: 'XLSX to JSON', effect: 'read', fields: [FILE, 'converterSheet', 'hasHeader'] },
    jsonToXlsx: {
      title: 'JSON to XLSX',
      effect: 'idempotent',
      fields: ['source', 'converterSheet', 'includeHeader', 'converterColumns', 'converterFilename'],
    },
    xmlToJson: { title: 'XML to JSON', effect: 'pure', fields: ['source'] },
    yamlToJson: { title: 'YAML to JSON', effect: 'pure', fields: ['source'] },
    jsonToYaml: { title: 'JSON to YAML', effect: 'pure', fields: ['source'] },
    markdownToHtml: { title: 'Markdown to HTML', effect: 'pure', fields: ['source'] },
    textToBase64: { title: 'Text to base64', effect: 'pure', fields: ['source'] },
    base64ToText: { title: 'Base64 to text', effect: 'pure', fields: ['source'] },
    pdfToText: { title: 'PDF to text', effect: 'read', fields: [FILE, 'ocrPageRange'] },
    imageToText: { title: 'Image to text', effect: 'read', fields: [FILE], is_offered: false },
    fileConvert: { title: 'Convert a file', effect: 'idempotent', fields: [FILE, 'converterTargetFormat'] },
  },
  fields: {
    source: field
      .value('Source', {
        kind: 'multiline',
        help: 'Empty takes what the first node before this one has put out.',
      })
      .default(''),
    delimiter: field.template('Separator', { help: 'One character; \\t is the tab.' }).default(','),
    hasHeader: field.boolean('The first line names the columns').default(true),
    trimValues: field.boolean('Remove space around values').default(true),
    includeHeader: field.boolean('Write the names of the columns').default(true),
    converterColumns: field
      .template('Columns', { help: 'Names separated by commas, in this order. Empty writes all columns.' })
      .default(''),
    escapeFormulas: field
      .boolean('Escape formulas', {
        help: 'Prefixes texts that a spreadsheet would run as formulas with an apostrophe. Turn it on for files that people open.',
      })
      .default(false),
    converterFileId: field
      .value('File', {
        placeholder: '$input.id',
        help: 'An id, an address of the file, or a file that a node has put out.',
      })
      .default(''),
    converterSheet: field
      .template('Sheet', { help: 'Empty reads every sheet; a new workbook then has the sheet Sheet1.' })
      .default(''),
    converterFilename: field.template('File name', { placeholder: 'report.xlsx' }).default(''),
    converterTargetFormat: field
      .template('New format', {
        placeholder: 'md',
        when_empty: 'Enter the format, such as md',
        help: 'md or txt, and of Word, Markdown and text files also html.',
      })
      .default(''),
    ocrPageRange: field
      .template('Pages', { placeholder: '1-3, 5', help: 'Empty takes all pages.' })
      .default(''),
  },
});

// Every conversion may be repeated.
const { onUnknownOutcome: _, ...params } = all;

export const converter = defineNode({
  type: 'converter',
  title: 'Converter',
  family: 'data',
  summary:
    'Converts between CSV, XLSX, JSON, XML, YAML, Markdown, HTML and base64, and between kinds of files.',
  search_words: ['extract from file', 'convert to file', 'spreadsheet file', 'excel', 'pdf'],
  icon: [['path', { d: 'M4 9h14l-4-4M20 15H6l4 4' }]],
  params: z.object(params),
  initial: { label: 'converter', conversion: 'csvToJson', source: '$input.text' },
  output: z.object({
    result: z.json(),
    conversion: z.string(),
    status: z.literal('success').optional(),
    target_format: z.string().optional(),
    language: z.string().optional(),
    encoding: z.string().optional(),
    page_count: z.int().optional(),
    pages: z.array(z.object({ page: z.int(), text: z.string() })).optional(),
    file: z
      .object({ id: z.string(), filename: z.string(), mime_type: z.string(), size_bytes: z.int() })
      .optional(),
    id: z.string().optional(),
    filename: z.string().optional(),
    mime_type: z.string().optional(),
    size_bytes: z.int().optional(),
    download_url: z.string().optional(),
    sheets: z.array(z.object({ name: z.string(), rows: z.array(z.json()) })).optional(),
    source_file: z
      .object({ id: z.string(), filename: z.string(), mime_type: z.string(), size_bytes: z.int() })
      .optional(),
  }),
  effect,
});
