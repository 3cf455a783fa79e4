import { type GraphNode, type Guard, guardsOf, type WorkflowNode } from '@millrace/engine';
import { useDeferredValue, useMemo } from 'react';
import { useDocument, useEditor } from '../context.tsx';
import { graphOf } from '../document/connect.ts';
import { usePanelTexts } from './texts/use-panel-texts.ts';

/** A handle as the canvas calls it: the text of its case instead of its number. */
function handleName({ data }: GraphNode, port: string): string {
  const cases = data['cases'];
  const index = /^case-(\d+)$/.exec(port)?.[1];
  const text: unknown = Array.isArray(cases) && index !== undefined ? cases[Number(index)] : undefined;
  return typeof text === 'string' || typeof text === 'number' ? String(text) : port;
}

/** Says on which decisions the node depends although other nodes lead to it as well. */
export function GuardNote({ node }: { node: WorkflowNode }) {
  const t = usePanelTexts('panel');
  const { catalog } = useEditor();
  const document = useDeferredValue(useDocument((state) => state.document));
  const found = useMemo(() => {
    const graph = graphOf(catalog, document);
    const index = graph.indexOf(node.id);
    return index < 0 ? [] : guardsOf(graph, index).map((guard) => ({ guard, by: graph.nodes[guard.node] }));
  }, [document, catalog, node.id]);
  const sentence = ({ label, ports }: Guard, by: GraphNode): string => {
    const [only] = ports;
    if (by.on_error && ports.length === 1 && only === 'error') return t('guard_failure', { label });
    if (by.on_error && ports.length === 1 && only === 'output') return t('guard_success', { label });
    return t('guard', { label, handles: ports.map((port) => handleName(by, port)).join(t('guard_or')) });
  };
  if (found.length === 0) return null;
  return (
    <ul className="flex flex-col gap-1 rounded-m border border-line px-2.5 py-1.5 text-sm text-soft">
      {found.map(({ guard, by }) => (by ? <li key={guard.node}>{sentence(guard, by)}</li> : null))}
    </ul>
  );
}
