import { LogOut } from 'lucide-react';
import { type ShareKind, useLeave } from '../../data/shares.ts';
import type { MenuItem } from '../../ui/actions/menu.tsx';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { useSharingTexts } from './texts/use-sharing-texts.ts';

interface Received {
  id: string;
  name: string;
  /** Set when a team is the only way to the object: one leaves that by leaving the team. */
  shared_by_team: string | null;
}

/** The action that a thing of another person offers those that it is shared with: leave it, after a question. */
export function useLeaveMenu(kind: ShareKind): (received: Received) => MenuItem[] {
  const t = useSharingTexts();
  const { mutateAsync: leave } = useLeave(kind);
  const ask = async ({ id, name }: Received) => {
    const sure = await confirm({
      title: t('leave_title', { name }),
      body: t('leave_body'),
      action: t('leave'),
    });
    if (sure) await leave(id).then(() => toast.done(t('left', { name })), showFailure);
  };
  return (received) =>
    received.shared_by_team === null
      ? [
          {
            label: t('leave'),
            icon: <LogOut aria-hidden />,
            tone: 'danger',
            onSelect: () => void ask(received),
          },
        ]
      : [];
}
