import { type JsonObject, readText } from '@millrace/engine';
import { toAccessCode } from '../../expression/access-code.ts';
import { asText, chain, enclosed } from '../../expression/value.ts';
import { Params } from '../../source/params.ts';
import { formatScalar, type SourceNode } from '../../source/source.ts';
import type { View } from '../../views/views.ts';
import { type Converted, type Kind, NotConvertible, type Step, type Target } from '../kind.ts';
import { CONTENT, type FileCodes, fileName, getFileCode, viewOfFile } from './file-codes.ts';

const buildSet = (fields: JsonObject): Converted => ({
  type: 'set',
  data: { mappings: Object.entries(fields).map(([key, value]) => ({ key, value })) },
});

function writeCode(to: Target, code: () => string): string {
  const made = to.made(() => chain(code()));
  if (made === undefined) throw new NotConvertible('its data cannot be read here');
  return made;
}

function requireUtf8({ params }: Target): void {
  const encoding = params.text('options.encoding', 'utf8');
  if (!/^utf-?8$/i.test(encoding)) throw new NotConvertible(`its encoding is "${encoding}"`);
  for (const key of ['stripBOM', 'addBOM', 'enableBOM']) params.get(`options.${key}`);
}

/** The byte order mark is no part of the text. */
const readTextCode = (to: Target, name: string): string =>
  String.raw`${enclosed(getFileCode(to, name, 'text'))}.regexReplace("^\\x{FEFF}", "")`;

/** The node that stores a file, for those that read one of the Drive. */
function storeFile(to: Target, name: string): Step {
  to.say('The file is stored in the Drive, where it stays until it is deleted');
  return {
    suffix: 'File',
    type: 'drive',
    data: {
      driveOperation: 'save',
      driveBase64Content: writeCode(to, () => asText(getFileCode(to, name, 'base64'))),
      driveFilename: writeCode(to, () => asText(getFileCode(to, name, 'name'))),
    },
  };
}

const dropCells = (empty: string): string =>
  `.result.map(${JSON.stringify(`dict(pairs(item).filter(${JSON.stringify(`item[1] != ${empty}`)}))`)})`;

/** n8n leaves out fields without a value, unless it is told to keep them. */
function viewOfRows(format: string, params: Params): View {
  const list = params.flag('options.includeEmptyCells')
    ? '.result'
    : dropCells(format === 'csv' ? '""' : 'null');
  return { first: `${list}[0]`, list };
}

function requireHeader({ params }: Target): void {
  if (!params.flag('options.headerRow', true)) throw new NotConvertible('its rows have no names of columns');
  params.get('options.includeEmptyCells');
}

function readCsv(to: Target, name: string): Converted {
  requireUtf8(to);
  requireHeader(to);
  for (const key of ['fromLine', 'maxRowCount'])
    if (to.params.number(`options.${key}`, 0) > (key === 'fromLine' ? 1 : 0))
      throw new NotConvertible('it reads only some of the rows');
  return {
    type: 'converter',
    data: {
      conversion: 'csvToJson',
      source: writeCode(to, () => readTextCode(to, name)),
      delimiter: to.template(to.params.text('options.delimiter', ','), 'delimiter'),
      hasHeader: true,
      trimValues: false,
    },
  };
}

function readWorkbook(to: Target, name: string): Converted {
  requireHeader(to);
  if (to.params.text('options.range') !== '') throw new NotConvertible('it reads only some of the cells');
  to.say('Dates in cells are texts here; in n8n they are numbers of days', 'conversion');
  return {
    type: 'converter',
    before: [storeFile(to, name)],
    data: {
      conversion: 'xlsxToJson',
      converterFileId: `$${to.stepLabel('File')}.id`,
      converterSheet: to.template(to.params.text('options.sheetName'), 'converterSheet'),
      hasHeader: true,
    },
  };
}

function readPdf(to: Target, name: string): Converted {
  const { params } = to;
  if (params.text('options.password') !== '') throw new NotConvertible('the PDF file has a password');
  if (params.number('options.maxPages', 0) > 0) throw new NotConvertible('it reads only some of the pages');
  const pages = to.stepLabel('Pages');
  const isJoined = params.flag('options.joinPages', true);
  to.say('Of a PDF file only text and numpages are read, and lines may break elsewhere', 'mappings');
  return {
    ...buildSet({
      numpages: `$${pages}.page_count`,
      text: isJoined ? `$${pages}.result` : `$${pages}.pages.map("item.text")`,
    }),
    before: [
      storeFile(to, name),
      {
        suffix: 'Pages',
        type: 'converter',
        data: { conversion: 'pdfToText', converterFileId: `$${to.stepLabel('File')}.id` },
      },
    ],
  };
}

/** Refuses names that n8n reads as a place inside of an object or a list. */
function requireField(key: string): void {
  if (key === '' || key.startsWith('=')) throw new NotConvertible('its field has no fixed name');
  if (/[.[]/.test(key)) throw new NotConvertible(`its field "${key}" is inside of another one`);
}

/** Whether the fields that came with the file are handed on. */
const keepsFields = (params: Params): boolean => ['json', 'both'].includes(params.text('options.keepSource'));

/** One field with what is read of the file. */
const readIntoField =
  (read: (to: Target, name: string) => string) =>
  (to: Target, name: string): Converted => {
    requireUtf8(to);
    const key = to.params.text('destinationKey', 'data');
    requireField(key);
    if (keepsFields(to.params))
      to.say('Fields that came with the file are read from the nodes before', 'mappings');
    return buildSet({ [key]: writeCode(to, () => read(to, name)) });
  };

const READ: Readonly<Record<string, (to: Target, name: string) => Converted>> = {
  csv: readCsv,
  xlsx: readWorkbook,
  pdf: readPdf,
  text: readIntoField(readTextCode),
  xml: readIntoField(readTextCode),
  fromJson: readIntoField((to, name) => `${readTextCode(to, name)}.toJson()`),
  binaryToPropery: readIntoField((to, name) => getFileCode(to, name, 'base64').code),
};

function readFile(to: Target, operation: string, name: string): Converted {
  const read = Object.hasOwn(READ, operation) ? READ[operation] : undefined;
  if (read === undefined) throw new NotConvertible(`files are not read as "${operation}" here`);
  return read(to, name);
}

const isRows = (format: string): boolean => format === 'csv' || format === 'xlsx';

const extractFromFile: Kind = {
  view: ({ parameters }) => {
    const operation = formatScalar(parameters['operation'], 'csv');
    const params = new Params(parameters);
    if (isRows(operation)) return viewOfRows(operation, params);
    const key = params.text('destinationKey', 'data');
    return keepsFields(params) && operation !== 'pdf' ? { adds: [key] } : {};
  },
  convert: (_, to) => {
    const { params } = to;
    const operation = params.text('operation', 'csv');
    return readFile(to, operation, params.text('binaryPropertyName', 'data'));
  },
};

interface Content {
  /** Code of its base64. */
  readonly code: () => string;
  readonly type: string;
  readonly usual: string;
  readonly before?: readonly Step[];
}

function buildFile(to: Target, { code, type, usual, before }: Content): Converted {
  const { params } = to;
  requireUtf8(to);
  const name = params.text('options.fileName', usual);
  const mimeType = params.text('options.mimeType', type);
  return {
    ...buildSet({
      filename: to.value(name, 'mappings'),
      mime_type: to.value(mimeType, 'mappings'),
      content_base64: writeCode(to, code),
    }),
    ...(before && { before }),
  };
}

const writeList = (to: Target): string => writeCode(to, () => to.listCode());

function writeCsv(to: Target): Converted {
  const { params } = to;
  to.say('Objects and lists in fields are one column each, as JSON', 'source');
  return buildFile(to, {
    code: () => `${to.stepLabel('Csv')}.result.base64Encode()`,
    type: 'text/csv',
    usual: 'file.csv',
    before: [
      {
        suffix: 'Csv',
        type: 'converter',
        data: {
          conversion: 'jsonToCsv',
          source: writeList(to),
          delimiter: to.template(params.text('options.delimiter', ','), 'delimiter'),
          includeHeader: params.flag('options.headerRow', true),
        },
      },
    ],
  });
}

function writeWorkbook(to: Target): Converted {
  const { params } = to;
  to.say('The file is stored in the Drive, where it stays until it is deleted');
  to.say('Objects and lists in fields are one column each, as JSON', 'source');
  return {
    type: 'converter',
    data: {
      conversion: 'jsonToXlsx',
      source: writeList(to),
      includeHeader: params.flag('options.headerRow', true),
      converterSheet: to.template(params.text('options.sheetName', 'Sheet'), 'converterSheet'),
      converterFilename: to.template(params.text('options.fileName', 'file.xlsx'), 'converterFilename'),
    },
    after: [
      {
        suffix: 'Content',
        type: 'drive',
        data: {
          driveOperation: 'get',
          driveFileId: `$${to.stepLabel('')}.id`,
          driveIncludeBinary: true,
        },
      },
    ],
  };
}

/** The content of a stored file. */
const STORED: FileCodes = {
  base64: (item) => `${item}.file_base64`,
  text: (item) => `${item}.file_base64.base64Decode()`,
  name: CONTENT.name,
  type: CONTENT.type,
};

const getFieldCode = (to: Target): string => {
  const path = to.params.text('sourceProperty');
  if (path === '' || path.startsWith('=')) throw new NotConvertible('its field has no fixed name');
  if (path.includes('[')) throw new NotConvertible(`its field "${path}" is inside of a list`);
  return to.code(`={{ $json${toAccessCode(path)} }}`).code;
};
const toFileText = (code: string): string =>
  `(type(${code}) == "string" ? ${code} : toJsonText(${code})).base64Encode()`;

const isOnce = ({ parameters }: SourceNode): boolean => formatScalar(parameters['mode'], 'once') === 'once';

const MAKE: Readonly<Record<string, (to: Target, node: SourceNode) => Converted>> = {
  csv: writeCsv,
  xlsx: writeWorkbook,
  toJson: (to, node) => {
    to.params.get('mode');
    const code = () =>
      `toJsonText(${isOnce(node) ? to.listCode() : to.code('={{ $json }}').code}).base64Encode()`;
    return buildFile(to, { code, type: 'application/json', usual: 'file.json' });
  },
  toText: (to) =>
    buildFile(to, { code: () => toFileText(getFieldCode(to)), type: 'text/plain', usual: 'file.txt' }),
  toBinary: (to) => {
    const isText = to.params.get('options.dataIsBase64') === false;
    const code = () => (isText ? toFileText(getFieldCode(to)) : getFieldCode(to));
    return buildFile(to, { code, type: 'application/octet-stream', usual: 'file' });
  },
};

const viewOfMade = (operation: string, name: string): View =>
  operation === 'xlsx'
    ? { step: 'Content', made: viewOfFile(name, STORED) }
    : { made: viewOfFile(name, CONTENT) };

function makeFile(to: Target, operation: string, node: SourceNode): Converted {
  const make = Object.hasOwn(MAKE, operation) ? MAKE[operation] : undefined;
  if (make === undefined) throw new NotConvertible(`files are not written as "${operation}" here`);
  return make(to, node);
}

const convertToFile: Kind = {
  takesList: (node) => {
    const operation = formatScalar(node.parameters['operation'], 'csv');
    return isRows(operation) || (operation === 'toJson' && isOnce(node));
  },
  view: ({ parameters }) =>
    viewOfMade(formatScalar(parameters['operation'], 'csv'), fileName(parameters['binaryPropertyName'])),
  convert: (node, to) => {
    to.params.get('binaryPropertyName');
    return makeFile(to, to.params.text('operation', 'csv'), node);
  },
};

/** The format of the older node for spreadsheets; files whose format shows at their end are mostly workbooks. */
const readFormat = ({ parameters }: SourceNode): string => {
  const isWritten = formatScalar(parameters['operation']) === 'toFile';
  const format = formatScalar(parameters['fileFormat'], isWritten ? 'csv' : 'autodetect');
  return format === 'autodetect' ? 'xlsx' : format;
};

const spreadsheetFile: Kind = {
  takesList: ({ parameters }) => formatScalar(parameters['operation']) === 'toFile',
  view: (node) => {
    const { parameters } = node;
    const format = readFormat(node);
    if (formatScalar(parameters['operation']) === 'toFile')
      return viewOfMade(format, fileName(parameters['binaryPropertyName']));
    return viewOfRows(format, new Params(parameters));
  },
  convert: (node, to) => {
    const { params } = to;
    const format = readFormat(node);
    const name = params.text('binaryPropertyName', 'data');
    const isWritten = params.text('operation') === 'toFile';
    const stored = params.text('fileFormat', 'autodetect');
    if (isWritten) return makeFile(to, isRows(format) ? format : stored, node);
    if (stored === 'autodetect')
      to.say('n8n detects the format of the file; here it must be an XLSX workbook', 'conversion');
    if (!isRows(format)) throw new NotConvertible(`files are not read as "${format}" here`);
    return readFile(to, format, name);
  },
};

/** Both directions, between a file and fields. */
const moveBinaryData: Kind = {
  view: ({ parameters }) => {
    if (formatScalar(parameters['mode'], 'binaryToJson') !== 'binaryToJson')
      return { made: viewOfFile(fileName(parameters['destinationKey']), CONTENT) };
    return parameters['setAllData'] === false ? {} : { first: '.data', list: '.data' };
  },
  convert: (_, to) => {
    const { params } = to;
    const isRead = params.text('mode', 'binaryToJson') === 'binaryToJson';
    if (isRead) {
      const isAll = params.flag('setAllData', true);
      const key = isAll ? 'data' : params.text('destinationKey', 'data');
      params.get('destinationKey');
      const isBase64 = params.flag('options.keepAsBase64');
      const isJson = params.flag('options.jsonParse');
      const operation = isAll ? 'fromJson' : isBase64 ? 'binaryToPropery' : isJson ? 'fromJson' : 'text';
      const name = params.text('sourceKey', 'data');
      return { ...readFile(to.with({ destinationKey: key, ...readEncoding(params) }), operation, name) };
    }
    params.get('destinationKey');
    const isAll = params.flag('convertAllData', true);
    const source = isAll ? '' : params.text('sourceKey', 'data');
    const code = () =>
      isAll
        ? `toJsonText(${to.code('={{ $json }}').code}).base64Encode()`
        : toFileText(to.code(`={{ $json${toAccessCode(source)} }}`).code);
    if (source.includes('[')) throw new NotConvertible(`its field "${source}" is inside of a list`);
    for (const key of ['useRawData', 'jsonParse']) params.get(`options.${key}`);
    return buildFile(to, { code, type: 'application/json', usual: 'file.json' });
  },
};

const readEncoding = (params: Params): JsonObject => {
  params.get('options.keepSource');
  return { options: { encoding: readText(params.get('options.encoding')) || 'utf8' } };
};

const onDisk: Kind = {
  convert: () => {
    throw new NotConvertible('files on the disk of the server are not reached here; use the Drive');
  },
};

export const files: Readonly<Record<string, Kind>> = {
  extractFromFile,
  convertToFile,
  spreadsheetFile,
  moveBinaryData,
  readBinaryFile: onDisk,
  readBinaryFiles: onDisk,
  writeBinaryFile: onDisk,
  readWriteFile: onDisk,
};
