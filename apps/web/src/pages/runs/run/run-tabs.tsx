import type { HistoryEntry } from '@millrace/contracts';
import type { ReactNode } from 'react';
import { isOpen } from '../../../data/runs.ts';
import { ResultView } from '../../../ui/results/result-view.tsx';
import { NodeResults } from '../node-results.tsx';
import { useRunsTexts } from '../texts/use-runs-texts.ts';
import { TimelineView } from '../timeline/timeline-view.tsx';

export type RunTab = 'nodes' | 'timeline' | 'inputs' | 'outputs';

interface RunTabsOptions {
  run: HistoryEntry;
  /** Index of the node result that is open. */
  open: number | undefined;
  onOpen: (index: number | undefined) => void;
}

/** The input, the work and the output of a run, in parts. */
export function useRunTabs({ run, open, onOpen }: RunTabsOptions) {
  const t = useRunsTexts();
  const tabs: { value: RunTab; label: string; count?: number; content: ReactNode }[] = [
    {
      value: 'nodes',
      label: t('nodes'),
      count: run.node_results.length,
      content: (
        <NodeResults results={run.node_results} open={open} onOpen={onOpen} running={isOpen(run.status)} />
      ),
    },
    { value: 'timeline', label: t('timeline'), content: <TimelineView run={run} /> },
    {
      value: 'inputs',
      label: t('inputs'),
      content: <ResultView className="h-full" label={t('inputs')} value={run.inputs} />,
    },
    {
      value: 'outputs',
      label: t('outputs'),
      content: <ResultView className="h-full" label={t('outputs')} value={run.outputs} />,
    },
  ];
  return tabs;
}
