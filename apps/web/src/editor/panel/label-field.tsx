import type { WorkflowNode } from '@millrace/engine';
import { useEffect, useState } from 'react';
import { getNodeLabel } from '../../lib/graph/node-label.ts';
import { Field } from '../../ui/forms/field.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { labelProblem, nearestLabel, renameNode } from '../document/nodes/rename.ts';
import { useEditor } from '../state/context.tsx';
import { usePanelTexts } from './texts/use-panel-texts.ts';

/** The node's name inside expressions; renaming it rewrites every reference to it. */
export function LabelField({ node, isRead }: { node: WorkflowNode; isRead: boolean }) {
  const t = usePanelTexts('panel');
  const { store, catalog } = useEditor();
  const label = getNodeLabel(node);
  const [typed, setTyped] = useState(label);
  useEffect(() => setTyped(label), [label]);
  const problem = typed === label ? undefined : labelProblem(store.getState().document, node.id, typed);
  const commit = () => {
    if (typed === label) return;
    const given = problem ? nearestLabel(store.getState().document, node.id, typed) : typed;
    setTyped(given ?? label);
    if (problem)
      toast.note(t('label_changed', { typed, label: given ?? label }), {
        detail: t(`label_problem.${problem}`),
      });
    if (given !== undefined && given !== label)
      store.getState().edit((document) => renameNode(catalog, document, { id: node.id, label: given }));
  };
  return (
    <Field
      label={t('label_field')}
      hint={isRead ? t('label_hint', { label: `$${typed}` }) : undefined}
      error={problem ? t(`label_problem.${problem}`) : undefined}
    >
      {(control) => (
        <Input
          {...control}
          mono
          value={typed}
          spellCheck={false}
          data-escape={typed === label ? undefined : ''}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === 'Enter') commit();
            if (event.key === 'Escape') setTyped(label);
          }}
        />
      )}
    </Field>
  );
}
