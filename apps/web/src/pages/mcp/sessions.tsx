import type { McpSession } from '@millrace/contracts';
import { Plug, Unplug } from 'lucide-react';
import { useEndMcpSession, useMcpSessions } from '../../data/mcp-servers.ts';
import { Button } from '../../ui/actions/button.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Ago } from '../../ui/display/time.tsx';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { useMcpTexts } from './texts/use-mcp-texts.ts';

function SessionRow({ session }: { session: McpSession }) {
  const t = useMcpTexts();
  const end = useEndMcpSession();
  const name = session.client_name ?? t('session_unknown');
  return (
    <li className="flex min-h-14 items-center gap-3 border-b border-line last:border-b-0">
      <Plug className="size-5 shrink-0 text-faint" aria-hidden />
      <span className="min-w-0 grow">
        <span className="block truncate font-medium">{name}</span>
        <span className="block text-sm text-faint">
          {session.server_name ?? t('default_server')} · {t('session_since')} <Ago at={session.created_at} />{' '}
          ·{' '}
          {session.last_call_at === null ? (
            t('session_no_call')
          ) : (
            <>
              {t('session_last_call')} <Ago at={session.last_call_at} />
            </>
          )}
        </span>
      </span>
      <Button
        size="small"
        busy={end.isPending}
        aria-label={t('session_end_of', { name })}
        onClick={() =>
          end.mutate(session.id, {
            onSuccess: () => toast.done(t('session_ended', { name })),
            onError: showFailure,
          })
        }
      >
        <Unplug aria-hidden />
        {t('session_end')}
      </Button>
    </li>
  );
}

/** Open event streams of clients at all servers of the person. */
export function Sessions() {
  const t = useMcpTexts();
  const sessions = useMcpSessions();
  if (sessions.isPending) return <SkeletonRows rows={1} />;
  if (sessions.isLoadingError)
    return <LoadFailed error={sessions.error} onRetry={() => void sessions.refetch()} />;
  if (sessions.data.length === 0) return <p className="text-sm text-faint">{t('sessions_none')}</p>;
  return (
    <ul aria-label={t('sessions')}>
      {sessions.data.map((session) => (
        <SessionRow key={session.id} session={session} />
      ))}
    </ul>
  );
}
