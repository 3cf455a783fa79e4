import { getRouteApi } from '@tanstack/react-router';
import { useSearchWords } from '../../lib/use-search-words.ts';
import { INBOX_KINDS, type InboxSearch } from '../../search.ts';
import { SearchInput } from '../../ui/forms/input.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { WorkflowFilter } from '../runs/workflow-filter.tsx';
import { useInboxTexts } from './texts/use-inbox-texts.ts';

const route = getRouteApi('/app/inbox');

export function InboxFilters() {
  const t = useInboxTexts();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: Partial<InboxSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const [words, setWords] = useSearchWords(search.q, (q) => change({ q }));
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
        aria-label={t('place')}
        value={search.dismissed ?? ''}
        onChange={(value) => change({ dismissed: value === 'yes' ? 'yes' : undefined })}
        choices={[
          { value: '', label: t('open') },
          { value: 'yes', label: t('dismissed') },
        ]}
      />
      <Select
        fit
        aria-label={t('kind')}
        value={search.kind ?? ''}
        onChange={(value) => change({ kind: INBOX_KINDS.find((kind) => kind === value) })}
        choices={[
          { value: '', label: t('any_kind') },
          ...INBOX_KINDS.map((value) => ({ value: value as string, label: t(`kind_${value}`) })),
        ]}
      />
      <WorkflowFilter value={search.workflow} onChange={(workflow) => change({ workflow })} />
    </>
  );
}
