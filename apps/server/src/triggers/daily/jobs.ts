import type { SqlClient } from '../../database/sql-client.ts';
import type { Services } from '../../execution/context.ts';
import { purgeReplayJobs } from '../../execution/store/replay-jobs.ts';
import { noteRunsWithoutWorkflow } from '../../execution/store/run-deletions.ts';
import { purgeAudit } from '../../resources/audit/service.ts';
import { purgeSessions } from '../../resources/auth/sessions.ts';
import { purgeWrites } from '../../resources/data-tables/run-tables.ts';
import { purgeFileLinks } from '../../resources/files/links.ts';
import { purgeGrants } from '../../resources/oauth/tokens.ts';
import { purgePortalSessions } from '../../resources/portal/queries.ts';
import { purgeCauses } from '../causes.ts';
import { cleanUpDeletions } from '../deletion-cleanup.ts';
import { purgePlatformEvents } from '../platform-events.ts';
import type { DailyJob } from './runner.ts';

const SLOTS_KEPT_DAYS = 30;

async function purgeSlots(sql: SqlClient): Promise<number> {
  const { row_count } = await sql.query({
    text: 'DELETE FROM job_slots WHERE created_at < now() - make_interval(days => $1::int)',
    values: [SLOTS_KEPT_DAYS],
  });
  return row_count;
}

/** Everything that happens once a day. */
export function dailyJobs(services: Services): readonly DailyJob[] {
  const { database, config, now } = services;
  return [
    { name: 'deletion-cleanup', at: '23:59', run: () => cleanUpDeletions(services) },
    {
      name: 'portal-sessions',
      at: '02:00',
      run: async () => ({ removed: await purgePortalSessions(database.db, new Date(now())) }),
    },
    { name: 'sessions', at: '03:00', run: () => purgeSessions(services) },
    {
      name: 'oauth-grants',
      at: '03:05',
      run: async () => ({ removed: await purgeGrants(database.db, now()) }),
    },
    {
      name: 'audit-retention',
      at: '03:15',
      run: async () => ({
        removed: await purgeAudit(database.db, { now_ms: now(), days: config.AUDIT_RETENTION_DAYS }),
      }),
    },
    {
      name: 'runs-without-workflow',
      at: '03:20',
      run: async () => ({ workflows: await noteRunsWithoutWorkflow(database.sql) }),
    },
    {
      name: 'file-links',
      at: '03:30',
      run: async () => ({ removed: await purgeFileLinks(database.db, new Date(now())) }),
    },
    {
      name: 'data-table-writes',
      at: '03:35',
      run: async () => ({ removed: await purgeWrites(database.sql, now()) }),
    },
    {
      name: 'replay-jobs',
      at: '03:25',
      run: async () => ({ removed: await purgeReplayJobs(database.sql) }),
    },
    {
      name: 'trigger-causes',
      at: '03:40',
      run: async () => ({ removed: await purgeCauses(database.sql) }),
    },
    {
      name: 'platform-events',
      at: '03:50',
      run: async () => ({ removed: await purgePlatformEvents(database.sql, now()) }),
    },
    {
      name: 'job-slots',
      at: '03:45',
      run: async () => ({ removed: await purgeSlots(database.sql) }),
    },
  ];
}
