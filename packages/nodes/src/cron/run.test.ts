import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

test('§6.2: the output names the expression and the time that the schedule fired', async () => {
  const run_input = { triggered_by: 'cron', triggered_at: '2026-05-01T10:00:00.000Z' };
  expect(await runNode('cron', { cronExpression: '*/5 9-17 * * 1-5' }, { run_input })).toEqual({
    output: { cron: '*/5 9-17 * * 1-5', triggered_at: '2026-05-01T10:00:00.000Z' },
  });
});

test('a run that something else started has the present time', async () => {
  expect(await runNode('cron', {})).toEqual({
    output: { cron: '0 * * * *', triggered_at: '2026-01-02T03:04:05.000Z' },
  });
});

test('an interval is named in words', async () => {
  const settings = { scheduleMode: 'interval', intervalValue: 45, intervalUnit: 'minutes' };
  expect(await runNode('cron', settings)).toMatchObject({ output: { cron: 'every 45 minutes' } });
});

test.each(['', '* * *', '* * * * * * *', 'every minute please now ok!'])(
  '"%s" is no schedule',
  async (cronExpression) => {
    expect(await runNode('cron', { cronExpression })).toMatchObject({
      failure: { kind: 'params', field: 'cronExpression', message: expect.stringContaining('five fields') },
    });
  },
);
