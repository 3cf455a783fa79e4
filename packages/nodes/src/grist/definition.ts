import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { objectFields } from '../kit/integration/object-input.ts';
import { defineOperations } from '../kit/integration/operations.ts';
import { gristCredential } from './credential.ts';

const TABLE = ['gristDocId', 'gristTableId'];
const OF_TABLE = ['credentialId', 'gristDocId'];

export const DATA = {
  mode: 'gristRecordDataInputMode',
  raw: 'gristRecordData',
  selective: 'gristRecordDataMappings',
} as const;
export const FILTER = {
  mode: 'gristFilterInputMode',
  raw: 'gristFilter',
  selective: 'gristFilterMappings',
} as const;

const { params, effect } = defineOperations({
  key: 'gristOperation',
  initial: 'getRecords',
  operations: {
    getRecords: {
      title: 'Find records',
      effect: 'read',
      fields: [...TABLE, ...Object.values(FILTER), 'gristSort', 'gristLimit'],
    },
    getRecord: { title: 'Get a record', effect: 'read', fields: [...TABLE, 'gristRecordId'] },
    createRecord: { title: 'Create a record', effect: 'unsafe', fields: [...TABLE, ...Object.values(DATA)] },
    createRecords: { title: 'Create records', effect: 'unsafe', fields: [...TABLE, 'gristRecordsData'] },
    updateRecord: {
      title: 'Change a record',
      effect: 'idempotent',
      fields: [...TABLE, 'gristRecordId', ...Object.values(DATA)],
    },
    updateRecords: { title: 'Change records', effect: 'idempotent', fields: [...TABLE, 'gristRecordsData'] },
    deleteRecord: { title: 'Delete records', effect: 'idempotent', fields: [...TABLE, 'gristRecordIds'] },
    listTables: { title: 'List tables', effect: 'read', fields: ['gristDocId'] },
    listColumns: { title: 'List columns', effect: 'read', fields: TABLE },
  },
  fields: {
    gristDocId: field
      .resource('Document', {
        resource: { list: 'documents', depends_on: ['credentialId'] },
        when_empty: 'Choose the document',
      })
      .default(''),
    gristTableId: field
      .resource('Table', {
        resource: { list: 'tables', depends_on: OF_TABLE },
        when_empty: 'Choose the table',
      })
      .default(''),
    gristRecordId: field
      .template('Record', { when_empty: 'Enter the number of the record', placeholder: '1' })
      .default(''),
    ...objectFields({
      ...DATA,
      title: 'Values',
      help: 'By the ids of columns, such as {"Name": "$input.name"}.',
    }),
    gristRecordsData: field
      .value('Records', {
        kind: 'json',
        help: 'A list of values by column; to change records each with its id.',
      })
      .default('[]'),
    ...objectFields({
      ...FILTER,
      title: 'Filter',
      help: 'A value or a list of values by column. Empty finds every record.',
    }),
    gristSort: field
      .template('Sort by', { help: 'Ids of columns separated by commas, with - in front for descending.' })
      .default(''),
    gristLimit: field.number('At most', { help: 'Zero means every record.' }).default(100),
    gristRecordIds: field
      .value('Records', { kind: 'json', help: 'A list of numbers of records.' })
      .default('[]'),
  },
});

export const grist = defineNode({
  type: 'grist',
  title: 'Grist',
  family: 'integration',
  summary: 'Reads and changes tables of a Grist document.',
  icon: 'table',
  credentials: [gristCredential],
  params: z.object({
    credentialId: field
      .text('Credential', {
        kind: 'credential',
        credential_types: ['grist'],
        when_empty: 'Choose the Grist server',
      })
      .default(''),
    ...params,
  }),
  initial: { label: 'grist', gristOperation: 'getRecords', gristFilter: '{}', gristLimit: 100 },
  effect,
});
