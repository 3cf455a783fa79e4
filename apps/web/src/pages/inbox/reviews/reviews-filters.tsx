import { getRouteApi } from '@tanstack/react-router';
import { useSearchWords } from '../../../lib/use-search-words.ts';
import type { ReviewsSearch } from '../../../search.ts';
import { PageSearch } from '../../../ui/forms/filters.tsx';
import { WorkflowFilter } from '../../runs/list/workflow-filter.tsx';
import { useInboxTexts } from '../texts/use-inbox-texts.ts';

const route = getRouteApi('/app/inbox/reviews');

export function ReviewsFilters() {
  const t = useInboxTexts();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: Partial<ReviewsSearch>) =>
    void navigate({ search: (before) => ({ ...before, review: undefined, ...part }), replace: true });
  const [words, setWords] = useSearchWords(search.q, (q) => change({ q }));
  return (
    <>
      <PageSearch label={t('reviews_search')} value={words} onChange={setWords} />
      <WorkflowFilter value={search.workflow} onChange={(workflow) => change({ workflow })} />
    </>
  );
}
