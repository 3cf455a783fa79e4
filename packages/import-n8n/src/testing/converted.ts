import { type JsonObject, readImport } from '@millrace/engine';
import { convertN8n } from '../convert.ts';

/** Converts an export into the nodes that it becomes, by their labels. */
export function convert(json: JsonObject) {
  const { workflow, warnings } = convertN8n(json);
  const imported = readImport(workflow);
  const { nodes, edges } = imported.document;
  const getNodeLabel = (id: string) => String(nodes.find((node) => node.id === id)?.data['label']);
  return {
    document: imported.document,
    warnings,
    repairs: imported.warnings,
    node: (label: string) => nodes.find(({ data }) => data['label'] === label),
    lines: (name: string) =>
      warnings
        .filter(({ message }) => message.startsWith(`${name}: `))
        .map(({ message }) => message.slice(name.length + 2)),
    edges: edges.map(
      ({ source, target, sourceHandle = '', targetHandle = '' }) =>
        `${getNodeLabel(source)}:${sourceHandle}>${getNodeLabel(target)}:${targetHandle}`,
    ),
  };
}

/** One node after a manual trigger, with fields of a set node before it. */
export function one(type: string, typeVersion: number, parameters: JsonObject, rest: JsonObject = {}) {
  const json: JsonObject = {
    nodes: [
      {
        name: 'Trigger',
        type: 'n8n-nodes-base.manualTrigger',
        typeVersion: 1,
        position: [0, 0],
        parameters: {},
      },
      {
        name: 'Before',
        type: 'n8n-nodes-base.set',
        typeVersion: 3.4,
        position: [1, 0],
        parameters: { assignments: { assignments: [{ name: 'x', value: '1', type: 'string' }] } },
      },
      { name: 'One', type, typeVersion, position: [2, 0], parameters, ...rest },
    ],
    connections: {
      Trigger: { main: [[{ node: 'Before', type: 'main', index: 0 }]] },
      Before: { main: [[{ node: 'One', type: 'main', index: 0 }]] },
    },
  };
  const converted = convert(json);
  const { type: made = '', data = {} } = converted.node('One') ?? {};
  const { label: _, ...settings } = data;
  return { type: made, settings, lines: converted.lines('One') };
}

/** The type of a node of the main package. */
export const base = (type: string) => `n8n-nodes-base.${type}`;
