import type { ImportReport } from '@millrace/contracts';
import { type ReactNode, Suspense, useMemo } from 'react';
import { useImportReport } from '../../data/import-reports.ts';
import { useDocument } from '../../features/document/context.ts';
import { lazy } from '../../lib/code/lazy.ts';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { PanelBoundary } from '../../ui/layout/panel-boundary.tsx';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { RunPanel } from '../run/run-panel.tsx';
import { mergeCanvasReports } from '../state/canvas-reports.ts';
import { useEditor, useView } from '../state/context.tsx';
import type { SideTab } from '../state/view.ts';
import { useEditorTexts } from '../texts/use-editor-texts.ts';

/** Brings the code editor and the expression language along, which the canvas does not need to show itself. */
const NodePanel = lazy(() =>
  import('../panel/frame/node-panel.tsx').then((module) => ({ default: module.NodePanel })),
);
/** Brings lists of choices along, which nothing on the canvas needs. */
const Outline = lazy(() => import('../panel/outline.tsx').then((module) => ({ default: module.Outline })));
const ImportReportPanel = lazy(() =>
  import('../panel/import-report/import-report-panel.tsx').then((module) => ({
    default: module.ImportReportPanel,
  })),
);

/** The report of what was put on this canvas, while it is there. */
function useCanvasReport(): ImportReport | undefined {
  const reports = useView((state) => state.canvas_reports);
  const nodes = useDocument((state) => (reports.length === 0 ? undefined : state.document.nodes));
  return useMemo(() => nodes && mergeCanvasReports(reports, nodes), [reports, nodes]);
}

/** The selection, how it runs, the graph as a list, and the report of the import while there is one. */
export function Side({ aside }: { aside?: ReactNode }) {
  const t = useEditorTexts();
  const { view, workflow_id } = useEditor();
  const chosen = useView((state) => state.side);
  const { data: stored } = useImportReport(workflow_id);
  const canvas_report = useCanvasReport();
  const report = canvas_report ?? stored;
  // Another person may dismiss the report while its tab is open.
  const side = chosen === 'import' && !report ? 'run' : chosen;
  return (
    <PanelBoundary>
      <Tabs<SideTab>
        value={side}
        onChange={(next) => view.getState().show(next)}
        label={t('side')}
        className="h-full"
        aside={aside}
        tabs={[
          {
            value: 'node',
            label: t('tab_node'),
            content: (
              <Suspense fallback={<SkeletonRows rows={6} />}>
                <NodePanel />
              </Suspense>
            ),
          },
          { value: 'run', label: t('tab_run'), content: <RunPanel /> },
          {
            value: 'outline',
            label: t('tab_outline'),
            content: (
              <Suspense fallback={<SkeletonRows rows={6} />}>
                <Outline />
              </Suspense>
            ),
          },
          ...(report
            ? [
                {
                  value: 'import' as const,
                  label: t('tab_import'),
                  count: report.lines.length,
                  content: (
                    <Suspense fallback={<SkeletonRows rows={6} />}>
                      <ImportReportPanel report={report} isStored={!canvas_report} />
                    </Suspense>
                  ),
                },
              ]
            : []),
        ]}
      />
    </PanelBoundary>
  );
}
