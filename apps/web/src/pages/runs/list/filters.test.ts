import { describe, expect, it } from 'vitest';
import { hasFilters, toFilters } from './filters.ts';

describe('toFilters', () => {
  it('asks for what the address names and nothing else', () => {
    expect(toFilters({ status: 'error', q: 'timeout' })).toEqual({
      filters: { status: 'error', search: 'timeout' },
      span: undefined,
    });
  });

  it('lets a period win over fixed ends', () => {
    const { filters, span } = toFilters({ period: '24h', from: '2026-01-01T00:00:00Z' });
    expect(filters).toEqual({});
    expect(span).toEqual({ ms: 86_400_000 });
  });
});

describe('hasFilters', () => {
  it('does not count the open run as a filter', () => {
    expect(hasFilters({ run: '0197' })).toBe(false);
    expect(hasFilters({ source: 'cron' })).toBe(true);
  });
});
