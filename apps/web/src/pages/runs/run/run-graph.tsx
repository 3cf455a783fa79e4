import type { RunGraph as Graph, HistoryEntry } from '@millrace/contracts';
import type { WorkflowDocument } from '@millrace/engine';
import { ReactFlowProvider, useReactFlow } from '@xyflow/react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Group, Panel, Separator } from 'react-resizable-panels';
import { useStore } from 'zustand';
import { isOpen } from '../../../data/runs.ts';
import { ShownCanvas } from '../../../features/canvas-view/shown-canvas.tsx';
import {
  type OpenDocument,
  OpenDocumentContext,
  useDocument,
  useOpenDocument,
} from '../../../features/document/context.ts';
import { placeMissing } from '../../../features/document/place-missing.ts';
import { createDocumentStore, selectedNode } from '../../../features/document/store.ts';
import { FailureActionsContext } from '../../../features/ran-node/failure-actions.ts';
import { createRunStore, type RunStore } from '../../../features/run-view/run-store.ts';
import { showRun } from '../../../features/run-view/show-run.ts';
import { useNodeCatalog } from '../../../i18n/use-node-catalog.ts';
import { useMedia } from '../../../lib/use-media.ts';
import { PanelBoundary } from '../../../ui/layout/panel-boundary.tsx';
import { Tabs } from '../../../ui/layout/tabs.tsx';
import { useRunsTexts } from '../texts/use-runs-texts.ts';
import { RanNode } from './ran-node.tsx';
import { failedNode, nodeAfter, ranOrder } from './run-order.ts';
import { type RunTab, useRunTabs } from './run-tabs.tsx';
import type { RunFailureActions } from './use-run-failure.ts';
import { useStepKeys } from './use-step-keys.ts';

/** The graph as it ran. What is pinned now is no result of the run. */
function toDocument({ nodes, edges }: Graph): WorkflowDocument {
  const document = { nodes, edges } as WorkflowDocument;
  return placeMissing({
    ...document,
    nodes: document.nodes.map((node) => {
      const { pinnedData: _, ...data } = node.data;
      return { ...node, data };
    }),
  });
}

function openStores(run: HistoryEntry, graph: Graph) {
  const store = createDocumentStore(toDocument(graph));
  const failed = failedNode(run.node_results);
  if (run.status === 'error' && failed !== undefined) store.getState().select({ nodes: [failed] });
  return { store, run: createRunStore() };
}

function useStores(run: HistoryEntry, graph: Graph): OpenDocument {
  const opened = useRef<ReturnType<typeof openStores>>(null);
  opened.current ??= openStores(run, graph);
  const stores = opened.current;
  const catalog = useNodeCatalog();
  const { workflow_id, workflow_name } = run;
  return useMemo(
    () => ({ ...stores, workflow_id: workflow_id ?? '', workflow_name, catalog }),
    [stores, workflow_id, workflow_name, catalog],
  );
}

/** Paints the run: as it goes while it is open, as history has it once it has ended. */
function usePainted(store: RunStore, entry: HistoryEntry): void {
  const newest = useRef(entry);
  newest.current = entry;
  const open = isOpen(entry.status);
  // Until it has ended, the stream is ahead of what is fetched.
  const changed = open ? entry.id : entry;
  useEffect(() => {
    const abort = new AbortController();
    const { current } = newest;
    showRun(store, {
      entry: current,
      workflow_id: current.workflow_id ?? '',
      signal: abort.signal,
    }).catch(() => undefined);
    return () => abort.abort();
  }, [store, changed]);
}

interface RunGraphProps {
  run: HistoryEntry;
  graph: Graph;
  failure: RunFailureActions;
  /** Says which node is chosen. */
  onChoose: (node_id: string | undefined) => void;
}

/** The graph of a run, painted by it, with the chosen node and the rest of the run beside. */
export function RunGraph({ run, graph, failure, onChoose }: RunGraphProps) {
  const open = useStores(run, graph);
  usePainted(open.run, run);
  const chosen = useStore(open.store, (state) => selectedNode(state)?.id);
  useEffect(() => onChoose(chosen), [chosen, onChoose]);
  return (
    <OpenDocumentContext value={open}>
      <FailureActionsContext value={failure.actions}>
        <ReactFlowProvider>
          <Arranged run={run} fixed={failure.fixed} />
        </ReactFlowProvider>
      </FailureActionsContext>
    </OpenDocumentContext>
  );
}

type Fixed = RunFailureActions['fixed'];

function Arranged({ run, fixed }: { run: HistoryEntry; fixed: Fixed }) {
  const t = useRunsTexts();
  const narrow = useMedia('(max-width: 859px)');
  const order = useMemo(() => ranOrder(run.node_results), [run.node_results]);
  const step = useStep(order);
  useStepKeys(step);
  const graph = (
    <PanelBoundary>
      <ShownCanvas label={t('graph')} />
    </PanelBoundary>
  );
  const side = (
    <PanelBoundary>
      <Side run={run} order={order} fixed={fixed} onStep={step} />
    </PanelBoundary>
  );
  if (narrow)
    return (
      <div className="flex min-h-0 grow flex-col">
        <div className="h-[38%] min-h-40 shrink-0">{graph}</div>
        <div className="min-h-0 grow border-t border-line-strong">{side}</div>
      </div>
    );
  return (
    <Group orientation="horizontal" className="min-h-0 grow">
      <Panel minSize="30%">{graph}</Panel>
      <Separator
        className="w-px bg-line transition-colors hover:bg-accent focus-visible:bg-accent"
        aria-label={t('resize')}
      />
      <Panel defaultSize="500px" minSize="320px" maxSize="70%" className="bg-surface">
        {side}
      </Panel>
    </Group>
  );
}

/** Chooses the node before or after the chosen one and brings it into view. */
function useStep(order: readonly string[]): (step: 1 | -1) => void {
  const { store } = useOpenDocument();
  const flow = useReactFlow();
  return useCallback(
    (step) => {
      const next = nodeAfter(order, selectedNode(store.getState())?.id, step);
      if (next === undefined) return;
      store.getState().select({ nodes: [next] });
      const node = flow.getNode(next);
      const pane = document.querySelector('.react-flow')?.getBoundingClientRect();
      if (!node || !pane) return;
      const { x, y, width, height } = flow.getNodesBounds([node]);
      const zoom = flow.getZoom();
      const corner = flow.flowToScreenPosition({ x, y });
      const isInView =
        corner.x >= pane.left &&
        corner.y >= pane.top &&
        corner.x + width * zoom <= pane.right &&
        corner.y + height * zoom <= pane.bottom;
      if (!isInView) void flow.setCenter(x + width / 2, y + height / 2, { zoom, duration: 150 });
    },
    [order, store, flow],
  );
}

interface SideProps {
  run: HistoryEntry;
  order: readonly string[];
  fixed: Fixed;
  onStep: (step: 1 | -1) => void;
}

function Side({ run, order, fixed, onStep }: SideProps) {
  const t = useRunsTexts();
  const node = useDocument(selectedNode);
  const [tab, setTab] = useState<RunTab | 'node'>(node ? 'node' : 'nodes');
  const [open, setOpen] = useState<number>();
  const tabs = useRunTabs({ run, open, onOpen: setOpen });
  const id = node?.id;
  useEffect(() => {
    if (id !== undefined) setTab('node');
  }, [id]);
  return (
    <Tabs<RunTab | 'node'>
      className="h-full"
      label={t('details')}
      value={tab}
      onChange={setTab}
      tabs={[
        {
          value: 'node',
          label: t('node'),
          content: node ? (
            <RanNode
              key={node.id}
              run={run}
              node={fixed.get(node.id) ?? node}
              order={order}
              onStep={onStep}
            />
          ) : (
            <p className="p-6 text-center text-soft">{t('choose_node')}</p>
          ),
        },
        ...tabs,
      ]}
    />
  );
}
