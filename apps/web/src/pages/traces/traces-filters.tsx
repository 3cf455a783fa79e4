import { getRouteApi } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslations } from 'use-intl';
import { useCredentials } from '../../data/credentials.ts';
import { useSearchWords } from '../../lib/use-search-words.ts';
import { TRACE_SOURCES, type TracesSearch } from '../../search.ts';
import { Button } from '../../ui/actions/button.tsx';
import { FilterSelect, PageSearch } from '../../ui/forms/filters.tsx';
import { Picker } from '../../ui/forms/picker.tsx';
import { WorkflowFilter } from '../runs/list/workflow-filter.tsx';
import { useTracesTexts } from './texts/use-traces-texts.ts';

const route = getRouteApi('/app/traces');

export function TracesFilters() {
  const t = useTracesTexts();
  const word = useTranslations('status');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: Partial<TracesSearch>) =>
    void navigate({ search: (before) => ({ ...before, trace: undefined, ...part }), replace: true });
  const [words, setWords] = useSearchWords(search.q, (q) => change({ q }));
  const { data: credentials } = useCredentials();
  const choices = useMemo(
    () => (credentials ?? []).map(({ id, name }) => ({ value: id, label: name })),
    [credentials],
  );
  return (
    <>
      <PageSearch label={t('search')} value={words} onChange={setWords} />
      <FilterSelect
        label={t('status')}
        any={t('any_status')}
        value={search.status}
        values={['success', 'error']}
        getLabel={(value) => word(value)}
        onChange={(status) => change({ status })}
      />
      <FilterSelect
        label={t('source')}
        any={t('any_source')}
        value={search.source}
        values={TRACE_SOURCES}
        getLabel={(value) => t(`source_${value}`)}
        onChange={(source) => change({ source })}
      />
      <Picker
        fit
        className="max-w-52 shrink-0"
        aria-label={t('credential')}
        value={search.credential ?? ''}
        none={t('any_credential')}
        choices={choices}
        onChange={(id) => change({ credential: id === '' ? undefined : id })}
      />
      <WorkflowFilter value={search.workflow} onChange={(workflow) => change({ workflow })} />
      <FilterSelect
        label={t('order')}
        any={t('newest')}
        value={search.order}
        values={['asc']}
        getLabel={() => t('oldest')}
        onChange={(order) => change({ order })}
      />
      {search.run ? (
        <span className="flex items-center gap-1 text-sm text-soft">
          {t('one_run')}
          <Button size="small" tone="quiet" onClick={() => change({ run: undefined })}>
            <X aria-hidden />
            {t('all_runs')}
          </Button>
        </span>
      ) : null}
    </>
  );
}
