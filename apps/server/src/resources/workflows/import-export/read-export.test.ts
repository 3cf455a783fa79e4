import { afterAll, describe, expect, it } from 'vitest';
import { openParsers } from '../../../adapters/parsing/parsers.ts';
import { readExport } from './read-export.ts';

const graph = {
  nodes: [{ name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} }],
  connections: {},
};
const template = { id: 1, name: 'A', nodes: [{ name: 'n8n-nodes-base.start' }], workflow: graph };

const parsers = openParsers();
afterAll(() => parsers.close());
const reader = { parsers, actor: { user_id: 'someone' } };

describe('an export of n8n', () => {
  it.each<[string, unknown]>([
    ['as a file', { name: 'A', ...graph }],
    ['inside of "workflow"', { workflow: { name: 'A', ...graph } }],
    ['as a template', { workflow: template }],
  ])('is read %s', async (_, json) => {
    const { name, document, is_converted } = await readExport(reader, json);
    expect({ name, is_converted }).toEqual({ name: 'A', is_converted: true });
    expect(document.nodes.map(({ type }) => type)).toEqual(['textInput']);
  });

  it.each<[string, unknown]>([
    ['JSON with a workflow that is none', { workflow: { workflow: { workflow: graph } } }],
    ['connections without nodes', { connections: {} }],
    ['a list of workflows', [{ name: 'A', ...graph }]],
  ])('is not %s', async (_, json) => {
    await expect(readExport(reader, json)).rejects.toThrow(/list (of nodes|"nodes")/);
  });
});
