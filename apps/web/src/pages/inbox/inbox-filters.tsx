import { getRouteApi } from '@tanstack/react-router';
import { useSearchWords } from '../../lib/use-search-words.ts';
import { INBOX_KINDS, type InboxSearch } from '../../search.ts';
import { FilterSelect, PageSearch } from '../../ui/forms/filters.tsx';
import { WorkflowFilter } from '../runs/list/workflow-filter.tsx';
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
      <PageSearch label={t('search')} value={words} onChange={setWords} />
      <FilterSelect
        label={t('place')}
        any={t('open')}
        value={search.dismissed}
        values={['yes']}
        getLabel={() => t('dismissed')}
        onChange={(dismissed) => change({ dismissed })}
      />
      <FilterSelect
        label={t('kind')}
        any={t('any_kind')}
        value={search.kind}
        values={INBOX_KINDS}
        getLabel={(kind) => t(kind === 'refused' ? 'kind_refused_any' : `kind_${kind}`)}
        onChange={(kind) => change({ kind })}
      />
      <WorkflowFilter value={search.workflow} onChange={(workflow) => change({ workflow })} />
    </>
  );
}
