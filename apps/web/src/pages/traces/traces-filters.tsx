import { getRouteApi } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslations } from 'use-intl';
import { useCredentials } from '../../data/credentials.ts';
import { useSearchWords } from '../../lib/use-search-words.ts';
import { TRACE_SOURCES, type TracesSearch } from '../../search.ts';
import { Button } from '../../ui/actions/button.tsx';
import { SearchInput } from '../../ui/forms/input.tsx';
import { Picker } from '../../ui/forms/picker.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { WorkflowFilter } from '../runs/workflow-filter.tsx';
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
      <SearchInput
        data-search
        className="w-full sm:w-60"
        label={t('search')}
        value={words}
        onChange={setWords}
      />
      <Select
        fit
        aria-label={t('status')}
        value={search.status ?? ''}
        onChange={(value) => change({ status: value === 'success' || value === 'error' ? value : undefined })}
        choices={[
          { value: '', label: t('any_status') },
          { value: 'success', label: word('success') },
          { value: 'error', label: word('error') },
        ]}
      />
      <Select
        fit
        aria-label={t('source')}
        value={search.source ?? ''}
        onChange={(value) => change({ source: TRACE_SOURCES.find((source) => source === value) })}
        choices={[
          { value: '', label: t('any_source') },
          ...TRACE_SOURCES.map((value) => ({ value: value as string, label: t(`source_${value}`) })),
        ]}
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
      <Select
        fit
        aria-label={t('order')}
        value={search.order ?? ''}
        onChange={(value) => change({ order: value === 'asc' ? 'asc' : undefined })}
        choices={[
          { value: '', label: t('newest') },
          { value: 'asc', label: t('oldest') },
        ]}
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
