import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { defineOperations } from '../kit/integration/operations.ts';
import { googleSheetsCredential } from './credential.ts';

const SHEET = ['gsSpreadsheetId', 'gsSheetName'];
const VALUES = ['gsValuesInputMode', 'gsValuesSelectiveRows', 'gsValuesSelectiveCols', 'gsValues'];

const { params, effect } = defineOperations({
  key: 'gsOperation',
  initial: 'readRange',
  operations: {
    readRange: {
      title: 'Read rows',
      effect: 'read',
      fields: [...SHEET, 'gsStartRow', 'gsMaxRows', 'gsHasHeader'],
    },
    appendRows: {
      title: 'Add rows',
      effect: 'unsafe',
      fields: [...SHEET, 'gsAppendPlacement', 'gsHasHeader', ...VALUES],
    },
    updateRange: {
      title: 'Change rows',
      effect: 'idempotent',
      fields: [...SHEET, 'gsUpdateRow', ...VALUES],
    },
    upsertRows: {
      title: 'Change rows that match, and add the others',
      effect: 'idempotent',
      fields: [...SHEET, 'gsMatchBy', 'gsAddMissing', 'gsValues'],
    },
    clearRange: { title: 'Clear cells', effect: 'idempotent', fields: [...SHEET, 'gsRange', 'gsKeepHeader'] },
    getSheetInfo: { title: 'List sheets', effect: 'read', fields: ['gsSpreadsheetId'] },
  },
  fields: {
    gsSpreadsheetId: field
      .resource('Spreadsheet', {
        resource: { list: 'spreadsheets', depends_on: ['credentialId'] },
        when_empty: 'Choose the spreadsheet',
        help: 'An id or the address of the spreadsheet.',
      })
      .default(''),
    gsSheetName: field
      .resource('Sheet', {
        resource: { list: 'sheets', depends_on: ['credentialId', 'gsSpreadsheetId'] },
        when_empty: 'Choose the sheet',
      })
      .default('Sheet1'),
    gsStartRow: field.template('First row', { help: 'With a header, the row of the header.' }).default('1'),
    gsUpdateRow: field
      .template('Row to change', { help: 'The number of the row; more rows of values change those below.' })
      .default('1'),
    gsMaxRows: field.template('At most', { help: 'Zero means every row.' }).default('0'),
    gsHasHeader: field
      .boolean('The first row is a header', { help: 'Rows are then objects with its names.' })
      .default(true),
    gsMatchBy: field
      .template('Find rows by', {
        placeholder: 'Email',
        when_empty: 'Enter the column by which rows are found',
        help: 'Names of columns, separated by commas. Cells are compared as texts.',
      })
      .default(''),
    gsAddMissing: field.boolean('Add rows that are not found').default(true),
    gsRange: field
      .template('Cells', { placeholder: 'A1:Z100', help: 'In A1 notation, without the sheet.' })
      .default('A1:Z100'),
    gsKeepHeader: field.boolean('Keep the first row').default(false),
    gsAppendPlacement: field
      .choice('Where', ['append', 'prepend'], {
        choices: [
          { value: 'append', title: 'Below the last row' },
          { value: 'prepend', title: 'Above the first row' },
        ],
      })
      .default('append'),
    gsValuesInputMode: field
      .choice('Values: input', ['raw', 'selective'], {
        choices: [
          { value: 'raw', title: 'As JSON' },
          { value: 'selective', title: 'Cell by cell' },
        ],
      })
      .default('raw'),
    gsValuesSelectiveRows: field
      .text('Rows', { help: 'Size of the values that are entered cell by cell.' })
      .default('1'),
    gsValuesSelectiveCols: field.text('Columns').default('3'),
    gsValues: field
      .custom(z.unknown(), 'Values', {
        kind: 'json',
        mode: 'literal',
        help: 'A list of rows: lists of cells such as [["Ada", 36]], or objects by the names of the header.',
      })
      .default('[]'),
  },
});

export const googleSheets = defineNode({
  type: 'googleSheets',
  title: 'Google Sheets',
  family: 'integration',
  summary: 'Reads and changes rows of a spreadsheet of Google Sheets.',
  search_words: ['spreadsheet', 'excel'],
  icon: 'table',
  credentials: [googleSheetsCredential],
  params: z.object({
    credentialId: field
      .text('Credential', {
        kind: 'credential',
        credential_types: ['google_sheets'],
        when_empty: 'Choose the Google account',
      })
      .default(''),
    ...params,
  }),
  initial: { label: 'googleSheets', gsOperation: 'readRange', gsSheetName: 'Sheet1' },
  effect,
});
