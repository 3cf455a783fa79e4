import { useCallback, useMemo } from 'react';
import { useDocument, useOpenDocument, useRun } from '../document/context.ts';
import { type Ambient, useAmbient } from './ambient.ts';
import { type KnownValues, knownValues } from './known-values.ts';

type Arguments = Parameters<typeof knownValues>;

let last: { of: readonly unknown[]; known: KnownValues } | undefined;

/** The fields of a panel all ask the same; only the first works it out. */
function knownOnce(...[state, run, id, options]: Arguments): KnownValues {
  const { ambient, catalog, round } = options;
  const of = [state.document, run.nodes, id, ambient, catalog, round];
  if (last?.of.every((part, index) => part === of[index])) return last.known;
  last = { of, known: knownValues(state, run, id, options) };
  return last.known;
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
