import { getRouteApi } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { useSearchWords } from '../../lib/use-search-words.ts';
import { PERIODS, RUN_STATUSES, type RunsSearch } from '../../search.ts';
import { Button } from '../../ui/actions/button.tsx';
import { SearchInput } from '../../ui/forms/input.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { hasFilters } from './filters.ts';
import { KNOWN_SOURCES, useSourceLabel } from './source-label.tsx';
import { useRunsTexts } from './texts/use-runs-texts.ts';
import { WorkflowFilter } from './workflow-filter.tsx';

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
      <SearchInput
        data-search
        className="w-full sm:w-60"
        label={t('search')}
        value={words}
        onChange={setWords}
      />
      <div className="hide-scrollbar -mx-4 flex min-w-0 gap-2 overflow-x-auto px-4 max-sm:w-[calc(100%+2rem)] sm:mx-0 sm:flex-wrap sm:px-0">
        <Select
          fit
          className="max-w-40"
          aria-label={t('filter_status')}
          value={search.status ?? ''}
          onChange={(value) => change({ status: value === '' ? undefined : value })}
          choices={[
            { value: '', label: t('any_status') },
            ...RUN_STATUSES.map((value) => ({ value, label: status(value) })),
          ]}
        />
        <WorkflowFilter value={search.workflow} onChange={(workflow) => change({ workflow })} />
        <Select
          fit
          className="max-w-44"
          aria-label={t('filter_source')}
          value={search.source ?? ''}
          onChange={(value) => change({ source: value === '' ? undefined : value })}
          choices={[
            { value: '', label: t('any_source') },
            ...sources.map((value) => ({ value, label: label(value) })),
          ]}
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
