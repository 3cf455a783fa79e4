import { type ReactNode, useState } from 'react';
import { Group, Panel, Separator } from 'react-resizable-panels';
import { useIsNarrow } from '../../lib/use-media.ts';
import { usePreferences } from '../../session/preferences.ts';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { useDetailTexts } from './texts/use-detail-texts.ts';

export type PaneName = 'input' | 'parameters' | 'output';

interface PanesProps {
  panes: Readonly<Record<PaneName, ReactNode>>;
  /** The pane in front where there is room for one. */
  front: PaneName;
  onFront: (name: PaneName) => void;
}

const NAMES: readonly PaneName[] = ['input', 'parameters', 'output'];
const START: Readonly<Record<PaneName, number>> = { input: 30, parameters: 38, output: 32 };

/** Three panes side by side, or one at a time behind tabs. */
export function Panes(props: PanesProps) {
  return useIsNarrow() ? <TabbedPanes {...props} /> : <WidePanes {...props} />;
}

function TabbedPanes({ panes, front, onFront }: PanesProps) {
  const t = useDetailTexts();
  return (
    <Tabs<PaneName>
      value={front}
      onChange={onFront}
      label={t('panes')}
      className="min-h-0 grow"
      tabs={NAMES.map((value) => ({
        value,
        label: t(value),
        content: panes[value],
        // Values are put into fields that are behind the input.
        keep: value === 'parameters',
      }))}
    />
  );
}

function WidePanes({ panes }: PanesProps) {
  const t = useDetailTexts();
  const change = usePreferences((state) => state.change);
  const [layout] = useState(() => ({ ...START, ...usePreferences.getState().detailPanes }));
  const pane = (name: PaneName) => (
    <Panel id={name} minSize="220px" className="flex min-h-0 flex-col">
      <h3 className="shrink-0 border-b border-line px-3 py-1.5 text-xs font-semibold text-faint">
        {t(name)}
      </h3>
      <div className="min-h-0 grow overflow-y-auto" data-pane={name}>
        {panes[name]}
      </div>
    </Panel>
  );
  const separator = (label: string) => (
    <Separator
      aria-label={label}
      className="w-px bg-line transition-colors hover:bg-accent focus-visible:bg-accent"
    />
  );
  return (
    <Group
      orientation="horizontal"
      className="min-h-0 grow"
      defaultLayout={layout}
      onLayoutChanged={(detailPanes) => change({ detailPanes })}
    >
      {pane('input')}
      {separator(t('resize_input'))}
      {pane('parameters')}
      {separator(t('resize_output'))}
      {pane('output')}
    </Group>
  );
}
