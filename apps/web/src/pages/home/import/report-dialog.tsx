import type { ImportWarning } from '@millrace/contracts';
import { useNavigate } from '@tanstack/react-router';
import { Button } from '../../../ui/actions/button.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { useHomeTexts } from '../texts/use-home-texts.ts';

export interface ImportReport {
  /** The workflow to open; none for an archive, which may hold many. */
  id?: string;
  name: string;
  warnings: readonly ImportWarning[];
}

/** Everything that an import changed or left out, in the order of the answer: what matters most comes first. */
export function ReportDialog({ report, onClose }: { report: ImportReport; onClose: () => void }) {
  const t = useHomeTexts();
  const navigate = useNavigate();
  const { id, warnings: lines } = report;
  const open = (workflow: string) => {
    onClose();
    void navigate({ to: '/workflows/$id', params: { id: workflow } });
  };
  return (
    <Dialog
      open
      size="large"
      onOpenChange={onClose}
      title={t('report_title', { name: report.name })}
      description={t('report_hint', { count: lines.length })}
      footer={
        id === undefined ? null : (
          <Button tone="primary" onClick={() => open(id)}>
            {t('open')}
          </Button>
        )
      }
    >
      <ul className="divide-y divide-line" aria-label={t('report_title', { name: report.name })}>
        {lines.map(({ field, message }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines never move, and two may be equal
          <li key={index} className="py-2">
            <p className="break-words text-base text-text">{message}</p>
            <p className="font-mono text-sm text-soft">{field}</p>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
