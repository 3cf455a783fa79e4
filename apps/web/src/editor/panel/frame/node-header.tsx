import type { NodeDefinition, WorkflowNode } from '@millrace/engine';
import { clsx } from 'clsx';
import { CircleHelp, Ellipsis, Power } from 'lucide-react';
import { type ReactNode, Suspense, useState } from 'react';
import { NodeTile } from '../../../features/canvas-view/elements/node-icons.tsx';
import { toggleActive } from '../../../features/document/change.ts';
import { lazy } from '../../../lib/code/lazy.ts';
import { IconButton } from '../../../ui/actions/icon-button.tsx';
import { Menu } from '../../../ui/actions/menu.tsx';
import { useNodeMenu } from '../../canvas/commands/node-menu.tsx';
import { useEditor } from '../../state/context.tsx';
import { isRun } from '../configure.tsx';
import { usePanelTexts } from '../texts/use-panel-texts.ts';

/** Has the names of the guides of all node types. */
const GuideDialog = lazy(() =>
  import('../guide-dialog.tsx').then((module) => ({ default: module.GuideDialog })),
);

interface NodeHeaderProps {
  node: WorkflowNode;
  definition: NodeDefinition | undefined;
  /** Keys of the canvas work beside the panel, and not in a dialog. */
  hasKeys?: boolean;
  /** In place of the heading with the type of the node. */
  heading?: ReactNode;
  /** Further buttons, at the end. */
  children?: ReactNode;
}

/** Says what a node is, and what can be done with it as a whole. */
export function NodeHeader({ node, definition, hasKeys = true, heading, children }: NodeHeaderProps) {
  const t = usePanelTexts('panel');
  const { store } = useEditor();
  const items = useNodeMenu();
  const chosen = new Set([node.id]);
  /** Undefined until it was opened. */
  const [isGuideOpen, setGuideOpen] = useState<boolean>();
  return (
    <header className="flex flex-wrap items-start gap-2.5 px-3.5 pt-3 pb-2 sm:flex-nowrap">
      <NodeTile icon={definition?.icon} family={definition?.family} />
      <div className={clsx('min-w-0 grow', heading && 'max-sm:basis-4/5')}>
        {heading ?? <h2 className="truncate text-base">{definition?.title ?? node.type}</h2>}
        <p className="text-sm text-faint">{definition?.summary ?? t('unknown')}</p>
      </div>
      {definition ? (
        <>
          <IconButton label={t('guide')} icon={<CircleHelp />} onClick={() => setGuideOpen(true)} />
          {isGuideOpen === undefined ? null : (
            <Suspense>
              <GuideDialog definition={definition} open={isGuideOpen} onOpenChange={setGuideOpen} />
            </Suspense>
          )}
        </>
      ) : null}
      {isRun(definition) ? (
        <IconButton
          label={node.data['active'] === false ? t('switch_on') : t('switch_off')}
          {...(hasKeys ? { keys: 'd' } : {})}
          icon={<Power />}
          onClick={() => store.getState().edit((document) => toggleActive(document, chosen))}
        />
      ) : null}
      <Menu items={items.slice(1)}>
        <IconButton label={t('more')} icon={<Ellipsis />} tooltip={false} />
      </Menu>
      {children}
    </header>
  );
}
