import type { Json, JsonObject } from '@millrace/engine';
import { expect, it } from 'vitest';
import { base, convert } from '../testing/converted.ts';

const to = (...targets: readonly string[]): Json[] =>
  targets.map((node) => ({ node, type: 'main', index: 0 }));
const set = (name: string): JsonObject => ({
  name,
  type: base('set'),
  typeVersion: 3.4,
  parameters: { mode: 'raw', jsonOutput: '{"x": 1}' },
});
const fits: JsonObject = {
  name: 'Fits',
  type: base('if'),
  typeVersion: 2.2,
  parameters: {
    conditions: {
      combinator: 'and',
      conditions: [
        { leftValue: '={{ $json.x }}', rightValue: 2, operator: { type: 'number', operation: 'gt' } },
      ],
    },
  },
};
const start: JsonObject = { name: 'Start', type: base('manualTrigger') };

it('leaves a node open that another way leads to than the condition before it', () => {
  const { node } = convert({
    nodes: [start, set('Data'), fits, set('More'), set('Last')],
    connections: {
      Start: { main: [to('Data')] },
      Data: { main: [to('Fits', 'Last')] },
      Fits: { main: [to('More')] },
      More: { main: [to('Last')] },
    },
  });
  expect(node('Fits')?.data['closesJoins']).toBe(false);
});

it('leaves the node open that both outputs of a list lead to, when one of them has no items', () => {
  const rows = { name: 'Data', type: base('postgres'), parameters: { operation: 'select', table: 't' } };
  const { node, edges } = convert({
    nodes: [start, rows, fits, set('More'), set('Less'), set('Last')],
    connections: {
      Start: { main: [to('Data')] },
      Data: { main: [to('Fits')] },
      Fits: { main: [to('More'), to('Less')] },
      More: { main: [to('Last')] },
      Less: { main: [to('Last')] },
    },
  });
  expect(edges).toContainEqual(expect.stringMatching(/^FitsOutput1:true>Less/));
  for (const label of ['Fits', 'FitsOutput1']) expect(node(label)?.data['closesJoins']).toBe(false);
});

it('does so for the way after an error', () => {
  const call = { ...set('Call'), onError: 'continueErrorOutput' };
  const { node } = convert({
    nodes: [start, set('Data'), call, set('Alert')],
    connections: {
      Start: { main: [to('Data')] },
      Data: { main: [to('Call', 'Alert')] },
      Call: { main: [[], to('Alert')] },
    },
  });
  expect(node('Call')?.data['closesJoins']).toBe(false);
});

it('changes nothing where no ways come together', () => {
  const { node } = convert({
    nodes: [start, set('Data'), fits, set('More'), set('Less')],
    connections: {
      Start: { main: [to('Data')] },
      Data: { main: [to('Fits')] },
      Fits: { main: [to('More'), to('Less')] },
    },
  });
  expect(node('Fits')?.data).not.toHaveProperty('closesJoins');
});
