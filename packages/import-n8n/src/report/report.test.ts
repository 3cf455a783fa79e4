import { type JsonObject, sortImportLines } from '@millrace/engine';
import { describe, expect, it } from 'vitest';
import { base, convert, one } from '../testing/converted.ts';

it('lists what cannot run first, then lost settings, then what has to be chosen, then names and notes, once an import has sorted it', () => {
  const { warnings } = convert({
    nodes: [
      {
        name: 'My Sender',
        type: base('telegram'),
        typeVersion: 1.2,
        parameters: { chatId: '1', text: 'x', additionalFields: { strange_setting: 5 } },
        credentials: { telegramApi: { id: '1', name: 'Bot' } },
        notes: 'To the boss',
        position: [0, 0],
      },
      { name: 'Unknown', type: base('neverHeardOf'), parameters: {}, position: [200, 0] },
    ],
    connections: {
      'My Sender': {
        main: [
          [
            { node: 'Unknown', type: 'main', index: 0 },
            { node: 'Gone', type: 'main', index: 0 },
          ],
        ],
      },
    },
  });
  const found = sortImportLines(warnings).map(({ message }) =>
    ['Gone', 'cannot run', 'strange_setting', 'Choose a credential', 'note', 'label'].find((part) =>
      message.includes(part),
    ),
  );
  expect(found.slice(0, 4)).toEqual(['Gone', 'cannot run', 'strange_setting', 'Choose a credential']);
  expect(found.slice(4).toSorted()).toEqual(['label', 'note']);
});

it('lists keys of a node that are not read, and none that every export has or that are empty', () => {
  const said = (rest: JsonObject) =>
    one(base('telegram'), 1.2, { chatId: '1', text: 'x' }, rest).lines.filter((line) => /key/.test(line));
  expect(said({ rewireOutputLogTo: 'main', newThing: { a: 1 } })).toEqual([
    'The key "rewireOutputLogTo" of the node has no equal here and was left out',
    'The key "newThing" of the node has no equal here and was left out',
  ]);
  const usual = { id: 'a', webhookId: 'b', notesInFlow: true, onError: 'stopWorkflow', executeOnce: false };
  expect(said({ ...usual, newThing: {}, other: [], third: false, fourth: null, fifth: '' })).toEqual([]);
});

it('lists what is lost of a note of a node that is kept, but not its other keys', () => {
  const { lines } = one(base('neverHeardOf'), 1, {}, { newThing: 5, notes: 'Ask Ada' });
  expect(lines).toContain('Its note was left out: Ask Ada');
  expect(lines.join()).not.toContain('newThing');
});

describe('settings of the workflow', () => {
  const said = (settings: JsonObject) =>
    convert({ nodes: [], connections: {}, settings }).warnings.map(({ field, message }) => [field, message]);

  it('lists one that is not known, with its name', () => {
    expect(said({ futureSetting: 'x', empty: '' })).toEqual([
      [
        'settings.futureSetting',
        'The setting "futureSetting" of the workflow has no equal here and was left out',
      ],
    ]);
  });

  it.each<[JsonObject, string]>([
    [{ saveDataErrorExecution: 'none' }, 'settings.saveDataErrorExecution'],
    [{ saveDataSuccessExecution: 'none' }, 'settings.saveDataSuccessExecution'],
    [{ saveManualExecutions: false }, 'settings.saveManualExecutions'],
    [{ callerPolicy: 'none' }, 'settings.callerPolicy'],
    [{ callerPolicy: 'workflowsFromAList', callerIds: '1,2' }, 'settings.callerPolicy'],
    [{ availableInMCP: true }, 'settings.availableInMCP'],
  ])('lists %j, which restricts or opens more than an import does', (settings, field) => {
    expect(said(settings).map(([place]) => place)).toEqual([field]);
  });

  it('says nothing about what n8n writes into every export', () => {
    const usual = {
      executionOrder: 'v1',
      callerPolicy: 'workflowsFromSameOwner',
      saveManualExecutions: true,
    };
    expect(
      said({
        ...usual,
        saveDataErrorExecution: 'all',
        saveDataSuccessExecution: 'all',
        saveExecutionProgress: true,
        availableInMCP: false,
        timezone: 'DEFAULT',
        executionTimeout: -1,
        binaryMode: 'separate',
      }),
    ).toEqual([]);
  });
});
