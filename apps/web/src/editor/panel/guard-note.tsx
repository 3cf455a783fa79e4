import { findGuards, type GraphNode, type Guard, type WorkflowNode } from '@millrace/engine';
import { useMemo } from 'react';
import { compileDocument } from '../document/edges/connect.ts';
import { useEditor } from '../state/context.tsx';
import { useSettledDocument } from '../state/use-settled-document.ts';
import { usePanelTexts } from './texts/use-panel-texts.ts';

/** A handle as the canvas calls it: the text of its case instead of its number. */
function handleName({ data }: GraphNode, port: string): string {
  const cases = data['cases'];
  const index = /^case-(\d+)$/.exec(port)?.[1];
  const text: unknown = Array.isArray(cases) && index !== undefined ? cases[Number(index)] : undefined;
  return typeof text === 'string' || typeof text === 'number' ? String(text) : port;
}

interface Found {
  readonly guard: Guard;
  readonly by: GraphNode;
}

/** One failure is enough for a node that follows several. */
const isFailure = ({ guard: { ports }, by }: Found): boolean =>
  by.on_error && ports.length === 1 && ports[0] === 'error';

/** Says on which decisions the node depends although other nodes lead to it as well. */
export function GuardNote({ node }: { node: WorkflowNode }) {
  const t = usePanelTexts('panel');
  const { catalog } = useEditor();
  const document = useSettledDocument();
  const found = useMemo(() => {
    const graph = compileDocument(catalog, document);
    const index = graph.indexOf(node.id);
    if (index < 0) return [];
    return findGuards(graph, index).flatMap((guard): Found[] => {
      const by = graph.nodes[guard.node];
      return by ? [{ guard, by }] : [];
    });
  }, [document, catalog, node.id]);
  const failures = found.filter(isFailure);
  const others = found.filter((one) => !isFailure(one));
  const sentence = ({ guard: { label, ports }, by }: Found): string => {
    if (by.on_error && ports.length === 1 && ports[0] === 'output') return t('guard_success', { label });
    return t('guard', { label, handles: ports.map((port) => handleName(by, port)).join(t('guard_or')) });
  };
  if (found.length === 0) return null;
  return (
    <ul className="flex flex-col gap-1 rounded-m border border-line px-2.5 py-1.5 text-sm text-soft">
      {others.map((one) => (
        <li key={one.guard.node}>{sentence(one)}</li>
      ))}
      {failures.length > 0 && (
        <li>{t('guard_failure', { label: failures.map(({ guard }) => guard.label).join(t('guard_or')) })}</li>
      )}
    </ul>
  );
}
