import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { defineOperations } from '../kit/integration/operations.ts';
import { googleDriveCredential } from './credential.ts';

const { params, effect } = defineOperations({
  key: 'gdOperation',
  initial: 'listFolderFiles',
  operations: {
    listFolderFiles: {
      title: 'List a folder',
      effect: 'read',
      fields: ['gdFolderId', 'gdMaxResults', 'gdQuery', 'gdIncludeTrashed'],
    },
    downloadFile: {
      title: 'Download a file',
      effect: 'read',
      fields: ['gdFileId', 'gdExportFormat', 'gdFilename'],
    },
    syncToHeymDrive: {
      title: 'Store a file in the Drive of this service',
      effect: 'unsafe',
      fields: ['gdFileId', 'gdExportFormat', 'gdFilename'],
    },
    updateFile: {
      title: 'Change a file',
      effect: 'idempotent',
      fields: ['gdFileId', 'gdNewName', 'gdNewParentId', 'gdBase64Content'],
    },
    removeFile: { title: 'Remove a file', effect: 'idempotent', fields: ['gdFileId', 'gdPermanentDelete'] },
    removeFolder: {
      title: 'Remove a folder',
      effect: 'idempotent',
      fields: ['gdFolderId', 'gdPermanentDelete'],
    },
  },
  fields: {
    gdFolderId: field
      .resource('Folder', {
        resource: { list: 'folders', depends_on: ['credentialId'] },
        help: 'An id or the address of the folder. Empty lists My Drive.',
      })
      .default(''),
    gdFileId: field
      .resource('File', {
        resource: { list: 'files', depends_on: ['credentialId'] },
        when_empty: 'Choose the file',
        help: 'An id or the address of the file.',
      })
      .default(''),
    gdMaxResults: field.template('At most', { help: 'Zero means 10000.' }).default('100'),
    gdQuery: field
      .template('Filter', {
        placeholder: "mimeType = 'application/pdf'",
        help: 'Words in the name, or a search query of Google Drive.',
      })
      .default(''),
    gdIncludeTrashed: field.boolean('List files in the trash too').default(false),
    gdExportFormat: field
      .template('Export as', {
        placeholder: 'pdf',
        help: 'For documents of Google: pdf, docx, xlsx, csv and the like, or a MIME type.',
      })
      .default(''),
    gdFilename: field.template('File name', { help: 'Empty keeps the name.' }).default(''),
    gdBase64Content: field.template('New content (base64)', { help: 'Empty keeps the content.' }).default(''),
    gdNewName: field.template('New name', { help: 'Empty keeps the name.' }).default(''),
    gdNewParentId: field
      .resource('Move to', {
        resource: { list: 'folders', depends_on: ['credentialId'] },
        help: 'Empty leaves the file where it is.',
      })
      .default(''),
    gdPermanentDelete: field
      .boolean('Delete for good', { help: 'Otherwise it goes to the trash.' })
      .default(false),
  },
});

export const googleDrive = defineNode({
  type: 'googleDrive',
  title: 'Google Drive',
  family: 'integration',
  summary: 'Lists, downloads, changes and removes files of Google Drive.',
  icon: 'hard-drive',
  credentials: [googleDriveCredential],
  params: z.object({
    credentialId: field
      .text('Credential', {
        kind: 'credential',
        credential_types: ['google_drive'],
        when_empty: 'Choose the Google account',
      })
      .default(''),
    ...params,
  }),
  initial: { label: 'googleDrive', gdOperation: 'listFolderFiles', gdMaxResults: '100' },
  effect,
});
