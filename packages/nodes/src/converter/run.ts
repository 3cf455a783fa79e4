import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import type { z } from 'zod';
import { implement, type NodeCall } from '../implement.ts';
import { bytesOfBase64 } from '../kit/files/base64.ts';
import { fileReferenceIn } from '../kit/files/file-reference.ts';
import { yieldOnce } from '../kit/files/yield-once.ts';
import { requiredText } from '../kit/integration/object-input.ts';
import type { ParseOptions } from '../kit/parsing/parsers.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { parsedJson } from '../kit/text/parsed-json.ts';
import { namesIn } from '../kit/values/list/items.ts';
import type { StoredFile } from '../services.ts';
import { parseDelimiter } from './csv.ts';
import { converter } from './definition.ts';
import { pagesIn } from './page-range.ts';
import { MOST_BYTES } from './xlsx.ts';

type Params = z.output<typeof converter.params>;
type Call = NodeCall<Params>;

export const runConverter = implement(converter, async (call: Call) => {
  const { conversion } = call.params;
  return { output: { ...(await CONVERSIONS[conversion](call)), conversion } };
});

/** The largest workbooks take half a minute. */
const WORKBOOK_MS = 60_000;

/** The subject of the error for a slow source. */
const reading = ({ signal }: Call, kind: string): ParseOptions => ({
  what: `The ${kind}`,
  field: 'source',
  signal,
});

const writing = ({ signal }: Call): ParseOptions => ({
  what: 'The source',
  action: 'convert',
  field: 'source',
  signal,
});

type Converted = JsonObject & { result: Json };

const CONVERSIONS: Readonly<Record<Params['conversion'], (call: Call) => Converted | Promise<Converted>>> = {
  async csvToJson(call) {
    const { delimiter, hasHeader, trimValues } = call.params;
    const options = { delimiter: parseDelimiter(delimiter), hasHeader, trimValues };
    const text = textIn(call);
    if (typeof text === 'string' && isEmpty(text)) return { result: [] };
    return {
      result: await call.services.parsers.run('csv', [requireText(call), options], reading(call, 'CSV text')),
    };
  },
  async jsonToCsv(call) {
    const { delimiter, includeHeader, converterColumns, escapeFormulas } = call.params;
    const options = {
      delimiter: parseDelimiter(delimiter),
      includeHeader,
      columns: namesIn(converterColumns),
      escapeFormulas,
    };
    const { parsers } = call.services;
    return { result: await parsers.run('write_csv', [readValue(call), options], writing(call)) };
  },
  async xlsxToJson(call) {
    const { params, services } = call;
    const { file, body } = await services.files.open(getFileReference(call));
    const bytes = await collectBytes(body);
    const { hasHeader, converterSheet: sheet } = params;
    const field = 'converterFileId';
    const sheets = await services.parsers.run('xlsx', [bytes, { hasHeader, sheet: sheet.trim(), field }], {
      ...reading(call, 'workbook'),
      field,
      time_ms: WORKBOOK_MS,
    });
    return {
      result: sheets[0]?.rows ?? [],
      sheets: sheets.map((each) => ({ ...each })),
      file: described(file),
    };
  },
  async jsonToXlsx(call) {
    const { params, services, idempotency_key } = call;
    const { includeHeader, converterColumns, converterSheet } = params;
    const options = {
      includeHeader,
      columns: namesIn(converterColumns),
      sheet: converterSheet.trim(),
    };
    const written = [readValue(call), options] as const;
    const bytes = await services.parsers.run('write_xlsx', [...written], {
      ...writing(call),
      time_ms: WORKBOOK_MS,
    });
    const named = params.converterFilename.trim() || 'workbook.xlsx';
    const filename = /\.xlsx$/i.test(named) ? named : `${named}.xlsx`;
    const made = await services.files.store({ filename, body: yieldOnce(bytes), key: idempotency_key });
    const result = { ...described(made), download_url: made.download_url };
    return { result, status: 'success', target_format: 'xlsx', ...result };
  },
  async xmlToJson(call) {
    return {
      result: await call.services.parsers.run('xml', [requireText(call)], reading(call, 'XML document')),
    };
  },
  async yamlToJson(call) {
    return {
      result: await call.services.parsers.run('yaml', [requireText(call)], reading(call, 'YAML document')),
    };
  },
  async jsonToYaml(call) {
    return {
      result: await call.services.parsers.run('write_yaml', [readValue(call)], writing(call)),
    };
  },
  async markdownToHtml(call) {
    return {
      result: await call.services.parsers.run(
        'markdown',
        [requireText(call)],
        reading(call, 'Markdown text'),
      ),
    };
  },
  textToBase64: (call) => ({ result: Buffer.from(requireText(call), 'utf8').toString('base64') }),
  base64ToText: (call) => ({ result: utf8(bytesOfBase64(requireText(call), 'source')) }),
  async pdfToText(call) {
    const { params, services, signal } = call;
    const reference = getFileReference(call);
    const { file, pages: texts } = await services.files.pages(reference, signal);
    const pages = pagesIn(params.ocrPageRange, texts.length).map((page) => ({
      page,
      text: texts[page - 1] ?? '',
    }));
    const result = pages.map(({ text }) => text).join('\n\n');
    return { result, ...writtenIn(call), page_count: pages.length, pages, file: described(file) };
  },
  imageToText() {
    throw refusedParam(
      'conversion',
      'text in images cannot be read on this server; let a model read the image with an LLM node',
    );
  },
  async fileConvert(call) {
    const { params, services, idempotency_key: key, signal } = call;
    const reference = getFileReference(call);
    const format = requiredText(params, 'converterTargetFormat');
    const source = await services.files.find(reference);
    const made = await services.files.convert(source.id, format, { key, signal });
    const result = { ...described(made), download_url: made.download_url };
    return {
      result,
      status: 'success',
      target_format: format.toLowerCase(),
      ...result,
      source_file: described(source),
    };
  },
};

/** Text of a PDF is Unicode and is not recognised, so its language is what the node says. */
function writtenIn({ node: { data } }: Call) {
  const { ocrLanguage, ocrLanguageCustom } = data;
  const chosen = ocrLanguage === 'custom' ? ocrLanguageCustom : ocrLanguage;
  return { language: typeof chosen === 'string' && chosen !== '' ? chosen : 'auto', encoding: 'utf-8' };
}

const described = ({ id, filename, mime_type, size_bytes }: StoredFile) => ({
  id,
  filename,
  mime_type,
  size_bytes,
});

/** A workbook as a whole: its parts are read from its end. */
async function collectBytes(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.byteLength;
    if (size > MOST_BYTES)
      throw refusedParam(
        'converterFileId',
        `is larger than ${MOST_BYTES / MEGABYTE} MB; save it as CSV, or split it`,
      );
    parts.push(part);
  }
  return Buffer.concat(parts);
}

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** The source, or what the first node before this one has put out when the field is left empty. */
function readSource({ params, first_input, node }: Call): Json {
  // Guarantee of the engine: evaluated parameters are JSON.
  const source = params.source as Json | undefined;
  // An expression that gives an empty text does not mean another value.
  return isEmpty(source) && isEmpty(node.data['source']) ? first_input : (source ?? null);
}

/** The file of the parameter; when that is empty, the one in the source. */
function getFileReference(call: Call): string {
  const name = 'converterFileId';
  const isLeftOut = isEmpty(call.params[name] as Json | undefined);
  return fileReferenceIn(isLeftOut ? { [name]: readSource(call) } : call.params, name);
}

function textIn(call: Call): Json | undefined {
  const source = readSource(call);
  return isJsonObject(source) ? source['text'] : source;
}

function requireText(call: Call): string {
  const text = textIn(call);
  if (typeof text === 'string' && !isEmpty(text)) return text;
  throw refusedParam('source', 'is empty or no text; use an expression such as $input.text');
}

/** A value as an expression gave it, or as JSON text. */
function readValue(call: Call): Json {
  const source = readSource(call);
  const value = typeof source === 'string' ? parsedJson(source) : source;
  if (value !== undefined) return value;
  throw refusedParam('source', 'is not valid JSON');
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refusedParam('source', 'holds bytes that are no UTF-8 text; store them with a Drive node');
  }
}
