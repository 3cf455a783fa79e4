import type { Workflow } from '@millrace/contracts';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { PortalSettings } from './portal-settings.tsx';
import { PortalUsers } from './portal-users.tsx';
import { usePortalTexts } from './texts/use-portal-texts.ts';

/** The owner's side of the chat portal: whether it is on, its address, and who may sign in (§2.1, §2.6). */
export function PortalDialog({ workflow, onClose }: { workflow: Workflow; onClose: () => void }) {
  const t = usePortalTexts();
  return (
    <Dialog open onOpenChange={onClose} title={t('title')} description={t('description')}>
      <PortalSettings workflow={workflow} />
      <PortalUsers id={workflow.id} />
    </Dialog>
  );
}
