import { listAudit } from '@millrace/contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { endpointPages } from './endpoint.ts';

const PAGE = 100;

export interface AuditFilters {
  object_kind?: string;
  outcome?: 'done' | 'refused';
  /** The entries of all users, for administrators. */
  all?: boolean;
}

/** Entries newest first, page by page. */
export const useAudit = ({ all, ...filters }: AuditFilters) =>
  useInfiniteQuery(
    endpointPages(listAudit, {
      first: undefined as string | undefined,
      ask: (before) => ({ query: { ...filters, ...(all ? { all: 'true' } : {}), before, limit: PAGE } }),
      next: (page) => page.next_before,
    }),
  );
