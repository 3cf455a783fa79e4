import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslations } from 'use-intl';
import { useWorkflows } from '../../data/workflows.ts';
import { useSearchWords } from '../../lib/use-search-words.ts';
import { INBOX_KINDS, type InboxSearch } from '../../search.ts';
import { SearchInput } from '../../ui/forms/input.tsx';
import { Picker } from '../../ui/forms/picker.tsx';
import { Select } from '../../ui/forms/select.tsx';

const route = getRouteApi('/app/inbox');

export function InboxFilters() {
  const t = useTranslations();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: workflows } = useWorkflows();
  const choices = useMemo(
    () => (workflows ?? []).map(({ id, name }) => ({ value: id, label: name })),
    [workflows],
  );
  const change = (part: Partial<InboxSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const [words, setWords] = useSearchWords(search.q, (q) => change({ q }));
  return (
    <>
      <SearchInput
        data-search
        className="w-full sm:w-60"
        label={t('inbox.search')}
        value={words}
        onChange={setWords}
      />
      <Select
        fit
        aria-label={t('inbox.place')}
        value={search.dismissed ?? ''}
        onChange={(value) => change({ dismissed: value === 'yes' ? 'yes' : undefined })}
        choices={[
          { value: '', label: t('inbox.open') },
          { value: 'yes', label: t('inbox.dismissed') },
        ]}
      />
      <Select
        fit
        aria-label={t('inbox.kind')}
        value={search.kind ?? ''}
        onChange={(value) => change({ kind: INBOX_KINDS.find((kind) => kind === value) })}
        choices={[
          { value: '', label: t('inbox.any_kind') },
          ...INBOX_KINDS.map((value) => ({ value: value as string, label: t(`inbox.kind_${value}`) })),
        ]}
      />
      <Picker
        fit
        className="max-w-52 shrink-0"
        aria-label={t('runs.filter_workflow')}
        value={search.workflow ?? ''}
        none={t('runs.any_workflow')}
        choices={choices}
        onChange={(value) => change({ workflow: value === '' ? undefined : value })}
      />
    </>
  );
}
