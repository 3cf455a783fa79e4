import type { SqlClient } from '../../database/sql-client.ts';
import { noteRunsWithoutWorkflow } from '../../execution/store/jobs/run-deletions.ts';
import { purgeAudit } from '../../resources/audit/service.ts';
import { purgeAttempts } from '../../resources/auth/limits.ts';
import { purgeSessions } from '../../resources/auth/sessions.ts';
import { purgeCardRuns, purgeDeletedCards } from '../../resources/boards/cards/service.ts';
import { purgeChats } from '../../resources/chats/service.ts';
import { announceExpiring } from '../../resources/credentials/oauth/expiring.ts';
import { purgeWrites } from '../../resources/data-tables/run-tables.ts';
import { purgeFileLinks } from '../../resources/files/links.ts';
import { purgeRefused } from '../../resources/inbox/refused.ts';
import { purgeGrants } from '../../resources/oauth/tokens.ts';
import { purgeConversations } from '../../resources/portal/conversations/service.ts';
import { purgePortalSessions } from '../../resources/portal/queries.ts';
import { purgeReplayJobs } from '../../resources/replay-jobs/queries.ts';
import { purgeTraces } from '../../resources/traces/service.ts';
import type { Services } from '../../services.ts';
import { purgeCauses } from '../causes.ts';
import { cleanUpDeletions } from '../deletion-cleanup.ts';
import { purgeListeners } from '../listening/listeners.ts';
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

const removal = (name: string, at: string, remove: () => Promise<number>): DailyJob => ({
  name,
  at,
  run: async () => ({ removed: await remove() }),
});

/** Everything that happens once a day. */
export function dailyJobs(services: Services): readonly DailyJob[] {
  const { database, config, now } = services;
  return [
    { name: 'deletion-cleanup', at: '23:59', run: () => cleanUpDeletions(services) },
    removal('portal-sessions', '02:00', () => purgePortalSessions(database.db, new Date(now()))),
    removal('conversation-retention', '02:10', () =>
      purgeConversations(services, config.CONVERSATION_RETENTION_DAYS),
    ),
    { name: 'sessions', at: '03:00', run: () => purgeSessions(services) },
    removal('attempt-counts', '03:05', () => purgeAttempts(database.sql, now())),
    removal('oauth-grants', '03:05', () => purgeGrants(database.db, now())),
    removal('audit-retention', '03:15', () =>
      purgeAudit(database.db, { now_ms: now(), days: config.AUDIT_RETENTION_DAYS }),
    ),
    {
      name: 'runs-without-workflow',
      at: '03:20',
      run: async () => ({ workflows: await noteRunsWithoutWorkflow(database.sql) }),
    },
    removal('trace-retention', '03:10', () =>
      purgeTraces(database.sql, { now_ms: now(), days: config.TRACE_RETENTION_DAYS }),
    ),
    removal('chat-retention', '03:12', () =>
      purgeChats(database.sql, { now_ms: now(), days: config.CHAT_RETENTION_DAYS }),
    ),
    removal('file-links', '03:30', () => purgeFileLinks(database.db, new Date(now()))),
    removal('deleted-cards', '03:35', () => purgeDeletedCards(database.sql, now())),
    removal('board-rounds', '03:55', () =>
      purgeCardRuns(database.sql, { now_ms: now(), days: config.RUN_RETENTION_DAYS }),
    ),
    removal('data-table-writes', '03:35', () => purgeWrites(database.sql, now())),
    removal('webhook-listeners', '03:40', () => purgeListeners(database.sql, now())),
    removal('replay-jobs', '03:25', () => purgeReplayJobs(database.sql)),
    removal('refused-deliveries', '03:42', () =>
      purgeRefused(database.sql, { now_ms: now(), days: config.REFUSED_DELIVERY_RETENTION_DAYS }),
    ),
    removal('trigger-causes', '03:40', () => purgeCauses(database.sql)),
    removal('platform-events', '03:50', () => purgePlatformEvents(database.sql, now())),
    {
      name: 'expiring-credentials',
      at: '06:00',
      run: async () => ({
        expiring: await announceExpiring({ db: database.db, secrets: services.secrets, now }),
      }),
    },
    removal('job-slots', '03:45', () => purgeSlots(database.sql)),
  ];
}
