import { describe, expect, it } from 'vitest';
import { nearestNewer, neighbourFilters } from './neighbours.ts';

const items = (...ids: string[]) => ids.map((id) => ({ id }));

describe('nearestNewer', () => {
  it('is the last of a list, newest first, that is newer than the run', () => {
    expect(nearestNewer(items('05', '04', '03', '02'), '03')).toBe('04');
    // A run that is not in the list itself, as one that succeeded is not among failures.
    expect(nearestNewer(items('05', '02'), '03')).toBe('05');
  });

  it('is nothing for the newest', () => {
    expect(nearestNewer(items('03', '02'), '03')).toBeUndefined();
    expect(nearestNewer([], '03')).toBeUndefined();
  });
});

describe('neighbourFilters', () => {
  const run = { workflow_id: 'w' };

  it('keeps the filters of the list, but always asks for failures', () => {
    const { filters, span } = neighbourFilters(
      { list: 'runs', status: 'success', source: 'cron', period: '24h' },
      run,
    );
    expect(filters).toEqual({ status: 'error', trigger_source: 'cron' });
    expect(span).toEqual({ ms: 86_400_000 });
  });

  it('are those of all runs when one came from all runs', () => {
    expect(neighbourFilters({ list: 'runs' }, run).filters).toEqual({ status: 'error' });
  });

  it('are those of the workflow when one came from elsewhere', () => {
    expect(neighbourFilters({}, run).filters).toEqual({ status: 'error', workflow_id: 'w' });
  });
});
