import { listAudit } from '@millrace/contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

const PAGE = 100;

export interface AuditFilters {
  object_kind?: string;
  outcome?: 'done' | 'refused';
  /** The entries of all users, for administrators. */
  all?: boolean;
}

/** Entries newest first, page by page. */
export const useAudit = ({ all, ...filters }: AuditFilters) =>
  useInfiniteQuery({
    queryKey: [...keys.audit, filters, all],
    queryFn: ({ pageParam, signal }) => {
      const before = pageParam === null ? {} : { before: pageParam };
      const whose = all ? { all: 'true' } : {};
      return api(listAudit, { query: { ...filters, ...whose, ...before, limit: PAGE } }, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_before,
  });
