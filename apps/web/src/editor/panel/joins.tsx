import { type NodeDefinition, offersJoins, type WorkflowNode } from '@millrace/engine';
import { Switch } from '../../ui/forms/toggles.tsx';
import { useEditor } from '../state/context.tsx';
import type { ChangeParameter } from './frame/node-field.tsx';
import { usePanelTexts } from './texts/use-panel-texts.ts';

interface JoinsProps {
  node: WorkflowNode;
  definition: NodeDefinition;
  onChange: ChangeParameter;
}

/** Whether a way that is not taken skips joins, the same for every node that chooses between ways. */
export function Joins({ node, definition, onChange }: JoinsProps) {
  const t = usePanelTexts('panel');
  const { catalog } = useEditor();
  // Some types have it among their fields.
  if ('closesJoins' in definition.params.shape || !offersJoins(catalog, node)) return null;
  return (
    <fieldset className="flex flex-col gap-3 border-t border-line pt-3">
      <legend className="sr-only">{t('joins')}</legend>
      <Switch
        label={t('skip_joins')}
        hint={t('skip_joins_hint')}
        checked={node.data['closesJoins'] !== false}
        onChange={onChange('closesJoins')}
      />
    </fieldset>
  );
}
