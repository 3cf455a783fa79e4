import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { objectFields } from '../kit/integration/object-input.ts';
import { defineOperations, shownFor } from '../kit/integration/operations.ts';
import { notionCredential } from './credential.ts';

const PAGES = ['notionPageSize', 'notionStartCursor'];
const LOOKS = ['notionIcon', 'notionCover'];

export const DATA_SOURCE = {
  mode: 'notionDataSourceInputMode',
  raw: 'notionDataSource',
  selective: 'notionDataSourceMappings',
} as const;

const { params, effect } = defineOperations({
  key: 'notionOperation',
  initial: 'search',
  operations: {
    search: {
      title: 'Search',
      effect: 'read',
      fields: ['notionQuery', 'notionFilter', 'notionSort', ...PAGES],
    },
    queryDataSource: {
      title: 'Query a data source',
      effect: 'read',
      fields: ['notionDataSourceId', 'notionDatabaseId', 'notionFilter', 'notionSorts', ...PAGES],
    },
    getPage: { title: 'Get a page', effect: 'read', fields: ['notionPageId'] },
    createPage: {
      title: 'Create a page',
      effect: 'unsafe',
      fields: [
        'notionDataSourceId',
        'notionDatabaseId',
        'notionParentPageId',
        'notionProperties',
        'notionChildren',
        ...LOOKS,
      ],
    },
    updatePage: {
      title: 'Change a page',
      effect: 'idempotent',
      fields: ['notionPageId', 'notionProperties', ...LOOKS],
    },
    trashPage: { title: 'Move a page to the trash', effect: 'idempotent', fields: ['notionPageId'] },
    restorePage: { title: 'Restore a page', effect: 'idempotent', fields: ['notionPageId'] },
    getBlockChildren: {
      title: 'Get the content of a block',
      effect: 'read',
      fields: ['notionBlockId', ...PAGES],
    },
    appendBlocks: {
      title: 'Add blocks',
      effect: 'unsafe',
      fields: ['notionBlockId', 'notionChildren', 'notionAppendPosition', 'notionAfterBlockId'],
    },
    updateBlock: { title: 'Change a block', effect: 'idempotent', fields: ['notionBlockId', 'notionBlock'] },
    deleteBlock: { title: 'Delete a block', effect: 'idempotent', fields: ['notionBlockId'] },
    createDatabase: {
      title: 'Create a database',
      effect: 'unsafe',
      fields: ['notionParentPageId', 'notionDatabase', ...LOOKS],
    },
    retrieveDatabase: { title: 'Get a database', effect: 'read', fields: ['notionDatabaseId'] },
    updateDatabase: {
      title: 'Change a database',
      effect: 'idempotent',
      fields: ['notionDatabaseId', 'notionDatabase', ...LOOKS],
    },
    createDataSource: {
      title: 'Create a data source',
      effect: 'unsafe',
      fields: ['notionDatabaseId', ...Object.values(DATA_SOURCE)],
    },
    retrieveDataSource: { title: 'Get a data source', effect: 'read', fields: ['notionDataSourceId'] },
    updateDataSource: {
      title: 'Change a data source',
      effect: 'idempotent',
      fields: ['notionDataSourceId', ...Object.values(DATA_SOURCE)],
    },
  },
  fields: {
    notionQuery: field.template('Words', { help: 'Words in titles. Empty finds everything.' }).default(''),
    notionPageId: field
      .resource('Page', {
        resource: { list: 'pages', depends_on: ['credentialId'] },
        when_empty: 'Choose the page',
      })
      .default(''),
    notionDataSourceId: field
      .resource('Data source', {
        resource: { list: 'data_sources', depends_on: ['credentialId'] },
        help: 'Its id or its address.',
      })
      .default(''),
    notionDatabaseId: field
      .template('Database', {
        help: 'Its id or its address. Where a data source is needed, a database with a single one is enough.',
      })
      .default(''),
    notionParentPageId: field
      .resource('Parent page', { resource: { list: 'pages', depends_on: ['credentialId'] } })
      .default(''),
    notionBlockId: field
      .template('Block', { when_empty: 'Enter the block', help: 'Id or address of a block or page.' })
      .default(''),
    notionDatabase: field
      .value('Database settings', {
        kind: 'json',
        help: 'As in the API: title, description, and initial_data_source with its properties.',
      })
      .default('{}'),
    ...objectFields({
      ...DATA_SOURCE,
      title: 'Data source settings',
      help: 'As in the API: title and properties.',
    }),
    notionBlock: field
      .value('Block content', { kind: 'json', help: 'As in the API, such as {"to_do": {"checked": true}}.' })
      .default('{}'),
    notionProperties: field
      .value('Properties', {
        kind: 'json',
        help: 'By their names, such as {"Name": {"title": [{"text": {"content": "$input.text"}}]}}.',
      })
      .default('{}'),
    notionChildren: field.value('Blocks', { kind: 'json', help: 'A list of blocks.' }).default('[]'),
    notionFilter: field.value('Filter', { kind: 'json', help: 'As in the API.' }).default('{}'),
    notionSort: field
      .value('Sort by', {
        kind: 'json',
        help: 'Such as {"timestamp": "last_edited_time", "direction": "ascending"}.',
      })
      .default('{}'),
    notionSorts: field
      .value('Sort by', { kind: 'json', help: 'Such as [{"property": "Name", "direction": "ascending"}].' })
      .default('[]'),
    notionIcon: field
      .template('Icon', { help: 'An emoji, the address of a picture, or JSON. null removes it.' })
      .default(''),
    notionCover: field
      .template('Cover', { help: 'The address of a picture, or JSON. null removes it.' })
      .default(''),
    notionAppendPosition: field
      .choice('Where', ['end', 'start', 'after_block'], {
        choices: [
          { value: 'end', title: 'At the end' },
          { value: 'start', title: 'At the start' },
          { value: 'after_block', title: 'After a block' },
        ],
      })
      .default('end'),
    notionAfterBlockId: shownFor(
      field.template('After block', { when_empty: 'Enter the block that comes before' }).default(''),
      { field: 'notionAppendPosition', is: ['after_block'] },
    ),
    notionPageSize: field
      .template('At most', { help: 'Zero means everything, up to 10,000 entries.' })
      .default('100'),
    notionStartCursor: field
      .template('Continue at', { help: 'The next_cursor of an earlier call.' })
      .default(''),
  },
});

export const notion = defineNode({
  type: 'notion',
  title: 'Notion',
  family: 'integration',
  summary: 'Reads and changes pages, blocks and databases in Notion.',
  icon: [
    ['path', { d: 'M5 4h11l3 3v13H8l-3-3z' }],
    ['path', { d: 'M9 16V9l6 7V9' }],
  ],
  credentials: [notionCredential],
  params: z.object({
    credentialId: field
      .text('Credential', {
        kind: 'credential',
        credential_types: ['notion'],
        when_empty: 'Choose the Notion workspace',
      })
      .default(''),
    ...params,
  }),
  initial: { label: 'notion', notionOperation: 'search', notionPageSize: '100' },
  effect,
});
