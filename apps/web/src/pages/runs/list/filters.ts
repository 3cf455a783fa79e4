import { HOUR_MS } from '@millrace/engine/units';
import type { RunFilters } from '../../../data/runs.ts';
import type { PERIODS, RunPageSearch, RunsSearch } from '../../../search.ts';

export const PERIOD_MS: Record<(typeof PERIODS)[number], number> = {
  '1h': HOUR_MS,
  '24h': 24 * HOUR_MS,
  '7d': 7 * 24 * HOUR_MS,
  '30d': 30 * 24 * HOUR_MS,
};

/** The filters of the API that the address bar asks for; a period counts back from now at each request. */
export function toFilters(search: Omit<RunsSearch, 'run'>): {
  filters: RunFilters;
  span: { ms: number } | undefined;
} {
  const span = search.period ? { ms: PERIOD_MS[search.period] } : undefined;
  const filters: RunFilters = {
    ...(search.status ? { status: search.status } : {}),
    ...(search.source ? { trigger_source: search.source } : {}),
    ...(search.workflow ? { workflow_id: search.workflow } : {}),
    ...(search.references ? { has_unresolved_references: true } : {}),
    ...(search.q ? { search: search.q } : {}),
    ...(!span && search.from ? { from: search.from } : {}),
    ...(!span && search.to ? { to: search.to } : {}),
  };
  return { filters, span };
}

export function hasFilters(search: RunsSearch): boolean {
  return Object.entries(search).some(([name, value]) => name !== 'run' && value !== undefined);
}

/** The parameters that the page of a run needs from the list that led to it. */
export function pageSearch(search: RunsSearch): RunPageSearch {
  const { run: _, ...filters } = search;
  return { ...filters, list: 'runs' };
}
