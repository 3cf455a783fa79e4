import { refusedParam } from '../kit/refused-param.ts';

const GOOGLE = 'application/vnd.google-apps.';
export const FOLDER = `${GOOGLE}folder`;

/** https://developers.google.com/workspace/drive/api/guides/ref-export-formats */
const MIME: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  odt: 'application/vnd.oasis.opendocument.text',
  rtf: 'application/rtf',
  txt: 'text/plain',
  md: 'text/markdown',
  zip: 'application/zip',
  epub: 'application/epub+zip',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ods: 'application/x-vnd.oasis.opendocument.spreadsheet',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  odp: 'application/vnd.oasis.opendocument.presentation',
  jpg: 'image/jpeg',
  png: 'image/png',
  svg: 'image/svg+xml',
  json: 'application/vnd.google-apps.script+json',
};

/** The format that a document is exported as when nothing is chosen. */
const USUAL: Readonly<Record<string, string>> = {
  [`${GOOGLE}document`]: 'docx',
  [`${GOOGLE}spreadsheet`]: 'xlsx',
  [`${GOOGLE}presentation`]: 'pptx',
  [`${GOOGLE}drawing`]: 'png',
  [`${GOOGLE}script`]: 'json',
};

export interface ExportFormat {
  readonly mime_type: string;
  /** Without a dot; empty for a MIME type that has none here. */
  readonly extension: string;
}

/** Documents of Google have no bytes of their own and are exported; undefined for every other file. */
export function selectExportFormat(mime_type: string, wanted: string): ExportFormat | undefined {
  if (!mime_type.startsWith(GOOGLE)) return undefined;
  if (mime_type === FOLDER) throw refusedParam('gdFileId', 'is a folder; choose a file');
  const format = wanted.trim().toLowerCase().replace(/^\./, '') || (USUAL[mime_type] ?? 'pdf');
  if (format.includes('/')) {
    const [extension = ''] = Object.entries(MIME).find(([, type]) => type === format) ?? [];
    return { mime_type: format, extension };
  }
  const found = Object.hasOwn(MIME, format) ? MIME[format] : undefined;
  if (found === undefined) {
    throw refusedParam('gdExportFormat', `must be one of ${Object.keys(MIME).join(', ')} or a MIME type`);
  }
  return { mime_type: found, extension: format };
}
