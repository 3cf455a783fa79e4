import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { defineOperations } from '../../kit/integration/operations.ts';
import { notesCredential } from './credential.ts';

const { params, effect } = defineOperations({
  key: 'notesOperation',
  initial: 'listNotes',
  operations: {
    listNotes: { title: 'List notes', effect: 'read', fields: ['notesLimit'] },
    createNote: { title: 'Create a note', effect: 'idempotent', fields: ['notesBook', 'notesText'] },
  },
  fields: {
    notesLimit: field.number('At most').default(50),
    notesBook: field
      .resource('Book', { resource: { list: 'books', depends_on: ['credentialId'] } })
      .default(''),
    notesText: field.template('Text', { when_empty: 'Enter the text of the note' }).default('$input.text'),
  },
});

export const notes = defineNode({
  type: 'notes',
  title: 'Notes',
  family: 'integration',
  summary: 'Lists and creates notes.',
  icon: [['path', { d: 'M5 3h14v18H5z' }]],
  credentials: [notesCredential],
  params: z.object({
    credentialId: field
      .text('Credential', {
        kind: 'credential',
        credential_types: ['notes'],
        when_empty: 'Choose the notes server',
      })
      .default(''),
    ...params,
  }),
  initial: { label: 'notes', notesOperation: 'listNotes' },
  effect,
});
