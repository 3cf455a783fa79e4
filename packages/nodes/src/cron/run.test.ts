import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';
import { cron } from './definition.ts';

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

test.each([
  ['60 * * * *', 'has 60 as minute; enter 0 to 59'],
  ['0 9-24 * * *', 'has 24 as hour; enter 0 to 23'],
  ['0 9 1,32 * *', 'has 32 as day of month; enter 1 to 31'],
  ['0 9 0 * *', 'has 0 as day of month; enter 1 to 31'],
  ['0 9 * 13 *', 'has 13 as month; enter 1 to 12'],
  ['0 9 * * MON,8', 'has 8 as day of week; enter 0 to 7'],
  ['75 0 9 * * *', 'has 75 as second; enter 0 to 59'],
  ['0 9 * * *\n* 30 * * *', 'has 30 as hour; enter 0 to 23'],
  ['*/0 * * * *', 'has "*/0" as minute; enter values, ranges such as 1-5 or steps such as */2'],
  ['0 22-2 * * *', 'has "22-2" as hour; enter values, ranges such as 1-5 or steps such as */2'],
  ['0 9 * * MON,FOO', 'has "FOO" as day of week; enter values, ranges such as 1-5 or steps such as */2'],
  ['1,,2 * * * *', 'has "1,,2" as minute; enter values, ranges such as 1-5 or steps such as */2'],
  ['0 0 30 2 *', 'has a day that its months do not have: day 30 of month 2'],
  ['0 0 0 31 4,6 ?', 'has a day that its months do not have: day 31 of month 4,6'],
])('§6.2: "%s" names the number that is wrong, before it would never fire', (cronExpression, message) => {
  const { error } = cron.params.safeParse({ cronExpression });
  expect(error?.issues.map((issue) => [issue.path, issue.message])).toEqual([[['cronExpression'], message]]);
});

test.each([
  '*/45 * * * *',
  '0-59/15 0 1 1 0',
  '59 23 31 12 7',
  '30 59 23 L * 5#2',
  '0 9 15W JAN mon-fri',
  '0 0 ? * *',
  '0 0 29 2 *',
  '0 0 31 4,5 *',
  '0 0 30 2 1',
])('§6.2: "%s" is accepted as it is', (cronExpression) => {
  expect(cron.params.parse({ cronExpression })).toMatchObject({ cronExpression });
});
