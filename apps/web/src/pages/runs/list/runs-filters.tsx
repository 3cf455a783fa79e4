import { getRouteApi } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { useSearchWords } from '../../../lib/use-search-words.ts';
import { PERIODS, RUN_STATUSES, type RunsSearch } from '../../../search.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { FilterSelect, PageSearch } from '../../../ui/forms/filters.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { useRunsTexts } from '../texts/use-runs-texts.ts';
import { hasFilters } from './filters.ts';
import { KNOWN_SOURCES, useSourceLabel } from './source-label.tsx';
import { WorkflowFilter } from './workflow-filter.tsx';

const UNRESOLVED = ['unresolved'] as const;
const route = getRouteApi('/app/runs');

export function RunsFilters() {
  const t = useRunsTexts();
  const status = useTranslations('status');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const label = useSourceLabel();
  const change = (part: Partial<RunsSearch>) =>
    void navigate({ search: (before) => ({ ...before, run: undefined, ...part }), replace: true });
  const [words, setWords] = useSearchWords(search.q, (q) => change({ q }));
  const sources =
    search.source && !KNOWN_SOURCES.includes(search.source)
      ? [search.source, ...KNOWN_SOURCES]
      : KNOWN_SOURCES;
  const period = search.period ?? (search.from || search.to ? 'custom' : '');
  return (
    <>
      <PageSearch label={t('search')} value={words} onChange={setWords} />
      <div className="hide-scrollbar -mx-4 flex min-w-0 gap-2 overflow-x-auto px-4 max-sm:w-[calc(100%+2rem)] max-sm:[&>*]:shrink-0 sm:mx-0 sm:flex-wrap sm:px-0">
        <FilterSelect
          className="max-w-40"
          label={t('filter_status')}
          any={t('any_status')}
          value={search.status}
          values={RUN_STATUSES}
          getLabel={(value) => status(value)}
          onChange={(chosen) => change({ status: chosen })}
        />
        <WorkflowFilter value={search.workflow} onChange={(workflow) => change({ workflow })} />
        <FilterSelect
          className="max-w-44"
          label={t('filter_source')}
          any={t('any_source')}
          value={search.source}
          values={sources}
          getLabel={label}
          onChange={(source) => change({ source })}
        />
        <FilterSelect
          className="max-w-44"
          label={t('filter_references')}
          any={t('any_references')}
          value={search.references}
          values={UNRESOLVED}
          getLabel={() => t('unresolved_only')}
          onChange={(references) => change({ references })}
        />
        <Select
          fit
          className="max-w-44"
          aria-label={t('filter_time')}
          value={period}
          onChange={(value) => {
            const chosen = PERIODS.find((candidate) => candidate === value);
            change({ period: chosen, from: undefined, to: undefined });
          }}
          choices={[
            { value: '', label: t('any_time') },
            ...PERIODS.map((value) => ({ value, label: t(`period_${value}`) })),
            ...(period === 'custom' ? [{ value: 'custom', label: t('period_custom') }] : []),
          ]}
        />
        {hasFilters(search) ? (
          <Button tone="quiet" onClick={() => void navigate({ search: {}, replace: true })}>
            <X aria-hidden />
            {t('clear_filters')}
          </Button>
        ) : null}
      </div>
    </>
  );
}
