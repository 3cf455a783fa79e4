import { readVersion, type Workflow } from '@millrace/contracts';
import { useMutation } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { api } from '../../../data/api.ts';
import { useDraftDiff, useVersions } from '../../../data/versions.ts';
import { useDocument } from '../../../features/document/context.ts';
import { isUnsaved } from '../../../features/document/store.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { Badge } from '../../../ui/display/status-chip.tsx';
import { DateTime } from '../../../ui/display/time.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { toast } from '../../../ui/overlays/toast.ts';
import type { Saving } from '../../session/saving.ts';
import { toDocument } from '../../session/server-state.ts';
import { useEditor } from '../../state/context.tsx';
import { usePublication } from '../use-publication.ts';
import { Changes } from './changes.tsx';
import { useVersionsTexts } from './texts/use-versions-texts.ts';

interface VersionsDialogProps {
  workflow: Workflow;
  saving: Saving;
  onClose: () => void;
}

/** Published versions, what changed since each, drawn on the canvas, and one click to bring one into the draft. */
export function VersionsDialog({ workflow, saving, onClose }: VersionsDialogProps) {
  const t = useVersionsTexts();
  const { store } = useEditor();
  const [chosen, setChosen] = useState<string>();
  const { save } = saving;
  // The draft is compared as the server has it.
  useEffect(() => void save(), [save]);
  const versions = useVersions(workflow);
  const shown = chosen ?? versions.data?.[0]?.id;
  const restore = useMutation({
    mutationFn: (version_id: string) => api(readVersion, { params: { id: workflow.id, version_id } }),
    onSuccess: (version) => {
      const restored = toDocument(version);
      // A step like any other: it is saved as the draft, and can be undone.
      store.getState().edit(() => restored);
      toast.done(t('restored', { number: version.version_number }), {
        undo: { label: t('undo'), run: () => store.getState().undo() },
      });
      onClose();
    },
  });
  const { discard, refused } = usePublication({ workflow, saving, onClose });
  const problem = restore.error?.message ?? refused;
  // The live version needs no draft that says the same.
  const bringBack = (version_id: string) => {
    if (version_id === workflow.version_id) return discard.mutate();
    return restore.mutate(version_id);
  };
  return (
    <Dialog open onOpenChange={onClose} title={t('title')} description={t('description')} size="wide">
      {versions.data?.length === 0 ? <p className="py-8 text-center text-faint">{t('none')}</p> : null}
      <div className="grid min-h-[420px] gap-4 md:grid-cols-[260px_minmax(0,1fr)]">
        <ul className="flex max-h-[60vh] flex-col gap-1 overflow-y-auto" aria-label={t('title')}>
          {versions.data?.map((version) => (
            <li key={version.id}>
              <button
                type="button"
                aria-current={version.id === shown}
                onClick={() => setChosen(version.id)}
                className="w-full rounded-m border border-transparent px-2.5 py-1.5 text-left hover:bg-hover aria-[current=true]:border-accent-line aria-[current=true]:bg-accent-tint"
              >
                <span className="flex items-center gap-2 font-medium">
                  {t('version', { number: version.version_number })}
                  {version.id === workflow.version_id ? <Badge tone="success">{t('current')}</Badge> : null}
                </span>
                {version.note ? (
                  <span className="line-clamp-2 block text-sm break-words">{version.note}</span>
                ) : null}
                {version.override_reason ? (
                  <span className="line-clamp-2 block text-sm break-words text-warning">
                    {t('override', { reason: version.override_reason })}
                  </span>
                ) : null}
                <span className="block text-sm text-faint">
                  <DateTime at={version.created_at} />
                  {version.created_by_name ? ` · ${version.created_by_name}` : ''}
                </span>
              </button>
            </li>
          ))}
        </ul>
        {shown ? (
          <Difference
            workflow={workflow}
            version_id={shown}
            onRestore={() => bringBack(shown)}
            busy={restore.isPending || discard.isPending}
          />
        ) : null}
      </div>
      {problem ? (
        <p role="alert" className="text-sm text-danger">
          {problem}
        </p>
      ) : null}
    </Dialog>
  );
}

interface DifferenceProps {
  workflow: Workflow;
  version_id: string;
  onRestore: () => void;
  busy: boolean;
}

function Difference({ workflow, version_id, onRestore, busy }: DifferenceProps) {
  const t = useVersionsTexts();
  const unsaved = useDocument(isUnsaved);
  const diff = useDraftDiff(workflow, version_id);
  if (!diff.data) return <p className="p-6 text-center text-faint">{t('loading')}</p>;
  const { version_number, node_changes, edge_changes, config_changes } = diff.data;
  const numbers = { number: version_number ?? 0, live: workflow.version_number };
  const is_live = version_id === workflow.version_id;
  const is_same = !unsaved && node_changes.length + edge_changes.length === 0;
  const restore = is_same ? null : (
    <Button className="ml-auto" tone="primary" busy={busy} onClick={onRestore}>
      <RotateCcw aria-hidden />
      {t(is_live ? 'discard' : 'restore', numbers)}
    </Button>
  );
  const hint = is_same ? 'same' : is_live ? 'discard_hint' : 'restore_hint';
  return (
    <Changes diff={diff.data} current={toDocument(workflow)} action={restore}>
      {is_same && config_changes.length === 0 ? null : (
        <p className="text-sm text-soft">
          {t(hint, numbers)} {config_changes.length > 0 ? t('settings_stay') : null}
        </p>
      )}
      {unsaved ? <p className="text-sm text-warning">{t('unsaved')}</p> : null}
    </Changes>
  );
}
