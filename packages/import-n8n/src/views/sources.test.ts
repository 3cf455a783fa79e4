import { createScope, evaluate, type Json, type JsonObject } from '@millrace/engine';
import { describe, expect, it } from 'vitest';
import { base, convert } from '../testing/converted.ts';

const main = (...names: string[]): Json[] => names.map((node) => ({ node, type: 'main', index: 0 }));

const fields = (name: string, values: Record<string, string>, rest: JsonObject = {}): JsonObject => ({
  name,
  type: base('set'),
  typeVersion: 3.4,
  parameters: {
    ...rest,
    assignments: {
      assignments: Object.entries(values).map(([key, value]) => ({ name: key, value })),
    },
  },
});

const evaluateCode = (field: unknown, values: JsonObject): unknown =>
  evaluate(String(field), 'value', createScope({ values, now: () => 0, uuid: () => '', random: () => 0 }));

/** Two branches of a condition, of which one runs, and nodes behind both. */
function branched(...behind: JsonObject[]) {
  const names = behind.map(({ name }) => String(name));
  return convert({
    nodes: [
      { name: 'Start', type: base('manualTrigger') },
      { name: 'Test', type: base('if'), typeVersion: 2.2, parameters: { conditions: {} } },
      fields('Yes', { x: 'yes' }),
      fields('No', { x: 'no' }),
      ...behind,
    ],
    connections: {
      Start: { main: [main('Test')] },
      Test: { main: [main('Yes'), main('No')] },
      Yes: { main: [main(...names)] },
      No: { main: [main(...names)] },
    },
  });
}

const readMappings = (data: JsonObject | undefined): Record<string, string> =>
  Object.fromEntries(
    ((data?.['mappings'] ?? []) as { key: string; value: string }[]).map(({ key, value }) => [key, value]),
  );

describe('data of several nodes', () => {
  const script = {
    same: '={{ $json.x }}',
    text: '=<{{ $json.x }}>',
    made: '={{ $json.x + "!" }}',
    or: '={{ $json.q || 1 }}',
  };

  it.each([
    ['the first', { Yes: { x: 'yes' } }, { same: 'yes', text: '<yes>', made: 'yes!', or: 1 }],
    ['the second', { No: { x: 'no' } }, { same: 'no', text: '<no>', made: 'no!', or: 1 }],
  ])('is read from the one that has run: %s', (_, values, result) => {
    const { node, lines } = branched(fields('After', script));
    const read = Object.entries(readMappings(node('After')?.data)).map(([key, field]) => [
      key,
      evaluateCode(field, values),
    ]);
    expect(Object.fromEntries(read)).toEqual(result);
    expect(lines('After')[0]).toBe(
      'Data comes from several nodes; its expressions read the first that has run of "Yes", "No"',
    );
  });

  it('is a list of what has run for a node that works on lists', () => {
    const aggregate = { aggregate: 'aggregateAllItemData' };
    const { node } = branched({ name: 'All', type: base('aggregate'), parameters: aggregate });
    const { data = '' } = readMappings(node('All')?.data);
    expect(evaluateCode(data, { No: { x: 'no' } })).toEqual([{ x: 'no' }]);
    expect(evaluateCode(data, { Yes: { x: 'yes' }, No: { x: 'no' } })).toEqual([{ x: 'yes' }, { x: 'no' }]);
  });
});

describe('data behind a merge that does not join items', () => {
  /** The values of the fields of a node behind two inputs, which the file connects in the other order. */
  function read(parameters: JsonObject, values: JsonObject) {
    const { node, lines } = convert({
      nodes: [
        { name: 'Start', type: base('manualTrigger') },
        fields('Two', { x: '2', y: '2' }),
        fields('One', { x: '1' }),
        { name: 'Merge', type: base('merge'), typeVersion: 3.2, parameters },
        fields('After', { x: '={{ $json.x }}', y: '={{ $json.y }}', n: '={{ $input.all().length }}' }),
      ],
      connections: {
        Start: { main: [main('Two', 'One')] },
        Two: { main: [[{ node: 'Merge', type: 'main', index: 1 }]] },
        One: { main: [[{ node: 'Merge', type: 'main', index: 0 }]] },
        Merge: { main: [main('After')] },
      },
    });
    const options = Object.keys(
      parameters['joinMode'] === undefined ? {} : (parameters['options'] as JsonObject),
    );
    expect(lines('Merge')).toHaveLength((parameters['mode'] === 'chooseBranch' ? 0 : 1) + options.length);
    return Object.values(readMappings(node('After')?.data)).map((field) => evaluateCode(field, values));
  }
  const both = { One: { x: '1' }, Two: { x: '2', y: '2' } };
  const combined = { mode: 'combine', combineBy: 'combineByPosition' };
  const enriching = {
    mode: 'combine',
    combineBy: 'combineByFields',
    joinMode: 'enrichInput2',
    options: { fuzzyCompare: true },
  };
  const preferring = { options: { clashHandling: { values: { resolveClash: 'preferInput1' } } } };

  it.each<[string, JsonObject, JsonObject, unknown[]]>([
    ['combined', combined, both, ['2', '2']],
    ['combined, with the first before the others', { ...combined, ...preferring }, both, ['1', '2']],
    ['combined by fields, where the second is enriched', enriching, both, ['1', '2']],
    ['of the branch that is chosen', { mode: 'chooseBranch' }, both, ['1', null, 1]],
    ['of the second branch', { mode: 'chooseBranch', useDataOfInput: 2 }, both, ['2', '2', 1]],
    ['of the second branch in version 2', { mode: 'chooseBranch', output: 'input2' }, both, ['2', '2', 1]],
  ])('is %s', (_, parameters, values, result) => {
    expect(read(parameters, values).slice(0, result.length)).toEqual(result);
  });
});

describe('the output of errors', () => {
  it.each([
    ['httpRequest', '={{ $json.error.message }}'],
    ['postgres', '={{ $json.error }}'],
  ])('has the message: %s', (type, script) => {
    const { node } = convert({
      nodes: [
        { name: 'Start', type: base('manualTrigger') },
        {
          name: 'Ask',
          type: base(type),
          parameters: { url: 'https://a.test', operation: 'select', table: 't' },
          onError: 'continueErrorOutput',
        },
        fields('After', { x: script }),
      ],
      connections: { Start: { main: [main('Ask')] }, Ask: { main: [[], main('After')] } },
    });
    const values = { Ask: { error: 'It is away.', _errorBranch: true } };
    expect(evaluateCode(readMappings(node('After')?.data)['x'], values)).toBe('It is away.');
  });
});

describe('a node that has not run', () => {
  it.each([
    ["={{ $('Yes').item.json.x || 'none' }}", 'none'],
    ["={{ $('Yes').isExecuted }}", false],
    ["={{ $('Yes').isExecuted ? 1 : 2 }}", 2],
    ["={{ !$('Yes').first().json.x }}", true],
    ["={{ [$('Yes').item.json.x, 'a'] }}", [null, 'a']],
    ["={{ $('Yes').item.json.x }}", null],
  ])('is nothing in an expression: %s', (script, result) => {
    const { node } = branched(fields('After', { y: script }));
    expect(evaluateCode(readMappings(node('After')?.data)['y'], { No: { x: 'no' } })).toEqual(result);
  });

  it('is nothing in JSON', () => {
    const parameters = {
      mode: 'raw',
      jsonOutput: `={ "a": "{{ $('Yes').item.json.x }}", "b": [{{ $json.x.length }}] }`,
    };
    const { node } = branched({ name: 'After', type: base('set'), typeVersion: 3.4, parameters });
    const { a, b } = readMappings(node('After')?.data);
    expect([a, b].map((field) => evaluateCode(field, { No: { x: 'no' } }))).toEqual(['', [2]]);
  });
});

describe('fields that a node only hands on', () => {
  it('are with those of the branch that has run', () => {
    const { node } = convert({
      nodes: [
        fields('Given', { a: '1' }),
        { name: 'Test', type: base('if'), typeVersion: 2.2, parameters: { conditions: {} } },
        fields('Yes', { x: 'yes' }, { includeOtherFields: true }),
        fields('No', { x: 'no' }, { includeOtherFields: true }),
        fields('After', { all: '={{ $json }}', a: '={{ $json.a }}', x: '={{ $json.x }}' }),
      ],
      connections: {
        Given: { main: [main('Test')] },
        Test: { main: [main('Yes'), main('No')] },
        Yes: { main: [main('After')] },
        No: { main: [main('After')] },
      },
    });
    const values = { Given: { a: '1' }, No: { x: 'no' } };
    const read = Object.values(readMappings(node('After')?.data)).map((field) => evaluateCode(field, values));
    expect(read).toEqual([{ a: '1', x: 'no' }, '1', 'no']);
  });

  it.each([
    ['through a node and past it', { Test: { main: [main('Pass'), main('After')] } }],
    ['through two nodes', { Test: { main: [main('Pass'), main('Also')] }, Also: { main: [main('After')] } }],
  ])('are read where they were made when branches meet %s', (_, connections) => {
    const { node, lines } = convert({
      nodes: [
        fields('Given', { a: '1' }),
        { name: 'Test', type: base('if'), typeVersion: 2.2, parameters: { conditions: {} } },
        { name: 'Pass', type: base('noOp') },
        { name: 'Also', type: base('noOp') },
        fields('After', { result: '={{ $json.result }}', a: '={{ $json.a }}' }),
      ],
      connections: {
        Given: { main: [main('Test')] },
        Pass: { main: [main('After')] },
        ...connections,
      },
    });
    const values = { Given: { a: '1' }, Test: { result: true }, Pass: { result: 'own' } };
    const read = Object.values(readMappings(node('After')?.data)).map((field) => evaluateCode(field, values));
    expect(read[1]).toBe('1');
    expect(read[0]).not.toBe(true);
    expect(lines('After')).toEqual([]);
  });

  it('are in its data as a whole', () => {
    const { node } = convert({
      nodes: [
        { name: 'Start', type: base('manualTrigger') },
        fields('Given', { a: '1', b: '2' }),
        fields('Named', { b: '3' }, { includeOtherFields: true }),
        fields('After', {
          all: '={{ JSON.stringify($json) }}',
          own: "={{ Object.keys($('Named').item.json) }}",
        }),
      ],
      connections: {
        Start: { main: [main('Given')] },
        Given: { main: [main('Named')] },
        Named: { main: [main('After')] },
      },
    });
    const { all, own } = readMappings(node('After')?.data);
    const values = { Given: { a: '1', b: '2' }, Named: { b: '3' } };
    expect(evaluateCode(all, values)).toBe('{"a":"1","b":"3"}');
    expect(evaluateCode(own, values)).toEqual(['a', 'b']);
  });
});

describe('a parameter of a node', () => {
  const configured = (script: string) =>
    branched(
      {
        name: 'Set up',
        type: base('set'),
        typeVersion: 1,
        parameters: {
          values: {
            string: [
              { name: 'channel', value: '#news' },
              { name: 'made', value: '={{ 1 }}' },
            ],
          },
        },
      },
      fields('After', { x: `={{ ${script} }}` }),
    );

  it.each([
    ['$node["Set up"].parameter["values"]["string"][0]["value"]', '#news'],
    ["$('Set up').params.values.string[0].value", '#news'],
    ["$('Set up').params.values.string[0]", { name: 'channel', value: '#news' }],
    ["$('Set up').params.values.string[0].name.toUpperCase()", 'CHANNEL'],
  ])('is what the file has: %s', (script, result) => {
    const mappings = configured(script).node('After')?.data['mappings'] as { value: string }[];
    expect(evaluateCode(mappings[0]?.value, {})).toEqual(result);
  });

  it.each([
    ["$('Set up').params.values.string[1].value", /is an expression itself/],
    ["$('Set up').params.mode", /the file has no parameter "mode"/],
  ])('is named where it has no fixed value: %s', (script, line) => {
    expect(configured(script).lines('After')).toEqual([expect.stringMatching(line)]);
  });
});
