import type { OauthGrant } from '@millrace/contracts';
import { Plug, Unplug } from 'lucide-react';
import { useAuthorizedClients, useRevokeClient } from '../../data/authorized-clients.ts';
import { Button } from '../../ui/actions/button.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Ago } from '../../ui/display/time.tsx';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { useSettingsTexts } from './texts/use-settings-texts.ts';

function ClientRow({ grant }: { grant: OauthGrant }) {
  const t = useSettingsTexts();
  const revoke = useRevokeClient();
  return (
    <li className="flex min-h-14 items-center gap-3 border-b border-line last:border-b-0">
      <Plug className="size-5 shrink-0 text-faint" aria-hidden />
      <span className="min-w-0 grow">
        <span className="block truncate font-medium">{grant.client_name}</span>
        <span className="block truncate text-sm text-faint">
          {grant.server_name === null ? '' : `${grant.server_name} · `}
          {grant.redirect_host} · {t('authorized')} <Ago at={grant.created_at} />
        </span>
      </span>
      <Button
        size="small"
        busy={revoke.isPending}
        aria-label={t('revoke_client', { name: grant.client_name })}
        onClick={() =>
          revoke.mutate(grant.id, {
            onSuccess: () => toast.done(t('client_revoked', { name: grant.client_name })),
            onError: showFailure,
          })
        }
      >
        <Unplug aria-hidden />
        {t('revoke')}
      </Button>
    </li>
  );
}

/** MCP clients that the user has authorized, each with the way to end that. */
export function AuthorizedClients() {
  const t = useSettingsTexts();
  const clients = useAuthorizedClients();
  if (clients.isPending) return <SkeletonRows rows={1} />;
  if (clients.isLoadingError)
    return <LoadFailed error={clients.error} onRetry={() => void clients.refetch()} />;
  if (clients.data.length === 0) return <p className="text-sm text-faint">{t('no_clients')}</p>;
  return (
    <ul>
      {clients.data.map((grant) => (
        <ClientRow key={grant.id} grant={grant} />
      ))}
    </ul>
  );
}
