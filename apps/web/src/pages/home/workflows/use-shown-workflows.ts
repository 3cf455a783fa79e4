import type { WorkflowSummary } from '@millrace/contracts';
import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue, useMemo } from 'react';
import { useLocale } from 'use-intl';
import { useFolders } from '../../../data/folders.ts';
import { useWorkflows } from '../../../data/workflows.ts';
import { useSearchWords } from '../../../lib/use-search-words.ts';
import type { HomeSearch } from '../../../search.ts';
import { sortWorkflows, visibleWorkflows } from './visible.ts';

const route = getRouteApi('/app/');
const NONE: WorkflowSummary[] = [];

export type ShownWorkflows = ReturnType<typeof useShownWorkflows>;

/** The workflows that the address asks for, by place, order and words. */
export function useShownWorkflows() {
  const locale = useLocale();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useWorkflows();
  const folders = useFolders();
  const workflows = query.data ?? NONE;
  const change = (part: Partial<HomeSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const [typed, setTyped] = useSearchWords(search.q, (q) => change({ q }));
  const words = useDeferredValue(typed);
  const { folder, show, sort } = search;
  const sorted = useMemo(() => sortWorkflows(workflows, sort, locale), [workflows, sort, locale]);
  const visible = useMemo(
    () => visibleWorkflows(sorted, { folder, show, q: words, folders }),
    [sorted, folder, show, words, folders],
  );
  return {
    query,
    folders,
    /** All that the person may see. */
    workflows,
    visible,
    search,
    change,
    typed,
    setTyped,
    /** By which `visible` was found; `typed` may be ahead of them. */
    words,
  };
}
