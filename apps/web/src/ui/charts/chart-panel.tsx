import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { Segmented } from '../forms/toggles.tsx';

export type ChartView = 'chart' | 'table';

interface ChartPanelProps {
  title: string;
  /** Present where the figures can be read as a table as well. */
  choice?: { view: ChartView; onChange: (view: ChartView) => void };
  children: ReactNode;
}

/** A part of a page of figures, under its heading. */
export function ChartPanel({ title, choice, children }: ChartPanelProps) {
  const t = useTranslations('ui');
  return (
    <section className="min-w-0">
      <div className="mb-2 flex min-h-8 items-center gap-2">
        <h2 className="text-base font-semibold">{title}</h2>
        {choice ? (
          <div className="ml-auto">
            <Segmented
              size="small"
              label={title}
              value={choice.view}
              onChange={choice.onChange}
              choices={[
                { value: 'chart', label: t('as_chart') },
                { value: 'table', label: t('as_table') },
              ]}
            />
          </div>
        ) : null}
      </div>
      {children}
    </section>
  );
}
