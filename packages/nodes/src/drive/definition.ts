import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { FILE_RECORD } from '../kit/files/file-record.ts';
import { defineOperations } from '../kit/integration/operations.ts';
import { optionalNumeric } from '../kit/values/numeric.ts';

const FILE = 'driveFileId';
const MOST_HOURS = 87_600;
const MOST_DOWNLOADS = 1_000_000;

/** New files are idempotent: the server finds the one that the node has stored in its round before. */
const { params: all, effect } = defineOperations({
  key: 'driveOperation',
  initial: 'get',
  operations: {
    get: { title: 'Get a file', effect: 'read', fields: [FILE, 'driveIncludeBinary'] },
    getAll: { title: 'List files', effect: 'read', fields: ['driveLimit'] },
    downloadUrl: {
      title: 'Store a file from an address',
      effect: 'idempotent',
      fields: ['driveSourceUrl', 'driveFilename'],
    },
    save: {
      title: 'Store content',
      effect: 'idempotent',
      fields: ['driveBase64Content', 'driveFilename'],
    },
    convertFile: {
      title: 'Convert a file',
      effect: 'idempotent',
      fields: [FILE, 'driveConvertTargetFormat'],
    },
    setPassword: { title: 'Set a password', effect: 'idempotent', fields: [FILE, 'drivePassword'] },
    setTtl: { title: 'Set an end of the address', effect: 'idempotent', fields: [FILE, 'driveTtlHours'] },
    setMaxDownloads: {
      title: 'Limit the downloads',
      effect: 'idempotent',
      fields: [FILE, 'driveMaxDownloads'],
    },
    shareWithMyTeams: { title: 'Share with my teams', effect: 'idempotent', fields: [FILE] },
    unshareWithMyTeams: { title: 'Stop sharing with my teams', effect: 'idempotent', fields: [FILE] },
    // The name of the file is known only before; a repetition after a crash finds it in the first step.
    delete: { title: 'Delete a file', effect: 'steps', fields: [FILE] },
  },
  fields: {
    driveFileId: field
      .value('File', {
        placeholder: '$input.id',
        when_empty: 'Enter the id or the address of the file',
        help: 'An id, an address of the file, or a file that a node has put out.',
      })
      .default(''),
    driveSourceUrl: field
      .template('Download from', {
        placeholder: 'https://',
        when_empty: 'Enter the address to download from',
        help: 'An address that answers with the file.',
      })
      .default(''),
    driveBase64Content: field
      .template('Content (base64)', {
        when_empty: 'Enter the content in base64',
        help: 'A data URL fits too.',
      })
      .default(''),
    driveFilename: field
      .template('File name', {
        help: 'Leave it empty to keep the name of a downloaded file.',
      })
      .default(''),
    driveIncludeBinary: field.boolean('With its content (base64)').default(false),
    drivePassword: field
      .template('Password', { when_empty: 'Enter the password', help: 'The user name is file.' })
      .default(''),
    driveTtlHours: optionalNumeric('Hours from now', {
      min: 0.01,
      max: MOST_HOURS,
      when_empty: 'Enter for how many hours the address works',
    }),
    driveMaxDownloads: optionalNumeric('Most downloads', {
      min: 1,
      max: MOST_DOWNLOADS,
      integer: true,
      when_empty: 'Enter how many downloads are allowed',
    }),
    // A value, for exports also hold numbers.
    driveLimit: field.value('At most', { help: 'Empty or zero means 1000.' }).default(''),
    driveConvertTargetFormat: field
      .template('New format', {
        placeholder: 'md',
        when_empty: 'Enter the format, such as md',
        help: 'md or txt, and of Word, Markdown and text files also html.',
      })
      .default(''),
  },
});

// Every operation may be repeated.
const { onUnknownOutcome: _, ...params } = all;

export const drive = defineNode({
  type: 'drive',
  title: 'Drive',
  family: 'data',
  summary: 'Stores, reads, converts, shares and deletes files of the Drive.',
  search_words: ['read and write files', 'storage', 'binary'],
  icon: [['path', { d: 'M3 6h6l2 3h10v11H3z' }]],
  params: z.object(params),
  initial: { label: 'drive', driveOperation: 'get', driveLimit: '100' },
  output: z.object({
    status: z.literal('success'),
    operation: z.string(),
    ...z.object(FILE_RECORD).partial().shape,
    file_base64: z.string().optional(),
    file_id: z.string().optional(),
    files: z.array(z.object(FILE_RECORD)).optional(),
    count: z.int().optional(),
    shared_team_count: z.int().optional(),
  }),
  effect,
});
