import { Ellipsis, Maximize2 } from 'lucide-react';
import { Suspense } from 'react';
import { useDocument } from '../../../features/document/context.ts';
import { selectedNode } from '../../../features/document/store.ts';
import { lazy } from '../../../lib/code/lazy.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { IconButton } from '../../../ui/actions/icon-button.tsx';
import { Menu } from '../../../ui/actions/menu.tsx';
import { Skeleton } from '../../../ui/display/skeleton.tsx';
import { PanelBoundary } from '../../../ui/layout/panel-boundary.tsx';
import { Tabs } from '../../../ui/layout/tabs.tsx';
import { useNodeMenu } from '../../canvas/commands/node-menu.tsx';
import { useOpenNode } from '../../canvas/commands/use-open-node.ts';
import { useEditor, useView } from '../../state/context.tsx';
import type { PanelTab } from '../../state/view.ts';
import { Configure, isRun } from '../configure.tsx';
import { usePanelTexts } from '../texts/use-panel-texts.ts';
import { NodeHeader } from './node-header.tsx';

/** Views of results, which configuring a node does not need. */
const NodeOutput = lazy(() =>
  import('../../../features/ran-node/node-output.tsx').then((module) => ({ default: module.NodeOutput })),
);

/** The panel of the one selected node: its parameters, drawn from its definition, and its last results. */
export function NodePanel() {
  const node = useDocument(selectedNode);
  const tab = useView((state) => state.panel);
  const t = usePanelTexts('panel');
  const { catalog, view } = useEditor();
  const open = useOpenNode();
  const isDetailed = useView((state) => state.detail !== undefined);
  // Its fields are on screen once.
  if (isDetailed) return null;
  if (!node) return <NothingSelected />;
  const definition = catalog.get(node.type);
  return (
    <section className="flex h-full min-h-0 flex-col" aria-label={t('label')} key={node.id}>
      <NodeHeader node={node} definition={definition}>
        {isRun(definition) ? (
          <IconButton
            label={t('open_detail')}
            keys="enter"
            icon={<Maximize2 />}
            onClick={() => open(node.id)}
          />
        ) : null}
      </NodeHeader>
      <PanelBoundary resetKeys={[node.id]}>
        <Tabs<PanelTab>
          value={isRun(definition) ? tab : 'configure'}
          onChange={(panel) => view.getState().set({ panel })}
          label={t('label')}
          className="grow"
          tabs={[
            {
              value: 'configure',
              label: t('configure'),
              content: <Configure node={node} definition={definition} />,
            },
            ...(isRun(definition)
              ? [
                  {
                    value: 'output' as const,
                    label: t('output'),
                    content: (
                      <Suspense fallback={<Skeleton className="h-40" />}>
                        <NodeOutput node={node} />
                      </Suspense>
                    ),
                  },
                ]
              : []),
          ]}
        />
      </PanelBoundary>
    </section>
  );
}

/** The actions that are left when no single node is selected. */
function NothingSelected() {
  const t = usePanelTexts('panel');
  const count = useDocument((state) => state.selection.nodes.size);
  const items = useNodeMenu();
  if (count < 2) return <p className="p-6 text-center text-soft">{t('nothing_selected')}</p>;
  return (
    <div className="flex flex-col items-center gap-3 p-6">
      <p className="text-soft">{t('many_selected', { count })}</p>
      <Menu items={items} align="center">
        <Button>
          <Ellipsis aria-hidden />
          {t('more')}
        </Button>
      </Menu>
    </div>
  );
}
