import type { WorkflowNode } from '@millrace/engine';
import { useCallback, useMemo } from 'react';
import { useDocument, useOpenDocument, useRun } from '../document/context.ts';
import { type Ambient, useAmbient } from './ambient.ts';
import { type KnownValues, knownValues } from './known-values.ts';

type Arguments = Parameters<typeof knownValues>;

interface Worked {
  nodes: readonly WorkflowNode[];
  of: readonly unknown[];
  known: KnownValues;
}

let last: Worked | undefined;

/** Nothing that a node sees depends on its own parameters, but for the inputs that a call of the workflow has. */
const isSeenAlike = (before: WorkflowNode, now: WorkflowNode, id: string): boolean =>
  before === now ||
  (now.id === id && before.id === id && before.data['inputFields'] === now.data['inputFields']);

/** The fields of a panel all ask the same, at each key that is typed; it is worked out when something else changed. */
export function knownOnce(...[state, run, id, options]: Arguments): KnownValues {
  const { nodes, edges } = state.document;
  const { ambient, catalog, round } = options;
  const of = [edges, run.nodes, id, ambient, catalog, round];
  const isSame =
    last?.nodes.length === nodes.length &&
    last.of.every((part, index) => part === of[index]) &&
    nodes.every((node, index) => isSeenAlike(last?.nodes[index] as WorkflowNode, node, id));
  const known = isSame && last ? last.known : knownValues(state, run, id, options);
  last = { nodes, of, known };
  return known;
}

/** The values that an expression in a node would see now; draws again when they change. */
export function useKnown(node_id: string, round?: string): KnownValues {
  const { catalog } = useOpenDocument();
  const ambient = useAmbient();
  const document = useDocument((state) => state.document);
  const nodes = useRun((state) => state.nodes);
  return useMemo(
    () => knownOnce({ document }, { nodes }, node_id, { ambient, catalog, round }),
    [document, nodes, node_id, ambient, catalog, round],
  );
}

/** The same, asked when it is needed. */
export function useAskKnown(node_id: string): (ambient: Ambient) => KnownValues {
  const { store, run, catalog } = useOpenDocument();
  return useCallback(
    (ambient) => knownOnce(store.getState(), run.getState(), node_id, { ambient, catalog }),
    [store, run, catalog, node_id],
  );
}
