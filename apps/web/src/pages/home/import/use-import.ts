import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useImportArchive, useMoveWorkflow } from '../../../data/folders.ts';
import { useImportWorkflow } from '../../../data/workflows.ts';
import { pickFiles } from '../../../ui/forms/file-drop.tsx';
import { toast } from '../../../ui/overlays/toast.ts';
import { useHomeTexts } from '../texts/use-home-texts.ts';
import { type ArchiveFile, type GraphFile, readImport } from './import-files.ts';
import type { ImportReport } from './report-dialog.tsx';

/**
 * Imports dropped or picked files into the folder on screen, one after the other, and says what came of each. What an import
 * of one workflow changed is shown at once, without a message that would be in its way; of several files, each says so.
 */
export function useImport(folder: string | undefined, onReport: (report: ImportReport) => void) {
  const t = useHomeTexts();
  const navigate = useNavigate();
  const importWorkflow = useImportWorkflow();
  const importArchive = useImportArchive();
  const move = useMoveWorkflow();
  const [busy, setBusy] = useState(false);

  const takeGraph = async ({ document, name }: GraphFile, alone: boolean) => {
    const { workflow, warnings } = await importWorkflow.mutateAsync({ document, file_name: name });
    if (folder) await move.mutateAsync({ id: workflow.id, folder_id: folder });
    const open = {
      label: t('open'),
      run: () => void navigate({ to: '/workflows/$id', params: { id: workflow.id } }),
    };
    const showReport = () => onReport({ id: workflow.id, name: workflow.name, warnings });
    if (warnings.length === 0) toast.done(t('imported', { name: workflow.name }), { action: open });
    else if (alone) showReport();
    else {
      toast.note(t('imported', { name: workflow.name }), {
        action: { label: t('show_report'), run: showReport },
        detail: t('imported_warnings', { count: warnings.length }),
      });
    }
  };
  const takeArchive = async ({ file }: ArchiveFile) => {
    const made = await importArchive.mutateAsync({ file, parent_id: folder });
    const missing = made.missing_credentials.length + made.missing_workflows.length;
    const done = t('imported_archive', { folders: made.folders.length, workflows: made.workflows.length });
    const detail = missing > 0 ? { detail: t('imported_missing', { count: missing }) } : {};
    const { warnings } = made;
    if (warnings.length === 0) toast.done(done, detail);
    else {
      const run = () => onReport({ name: file.name, warnings });
      toast.note(done, { action: { label: t('show_report'), run }, ...detail });
    }
  };

  const take = async (files: readonly File[]) => {
    setBusy(true);
    for (const file of files) {
      try {
        const read = await readImport(file);
        if (read.kind === 'workflow') await takeGraph(read, files.length === 1);
        else if (read.kind === 'archive') await takeArchive(read);
        else toast.failed(t('import_failed', { name: read.name }), { detail: t(`import_${read.problem}`) });
      } catch (error) {
        toast.failed(t('import_failed', { name: file.name }), {
          detail: error instanceof Error ? error.message : String(error),
        });
      }
    }
    setBusy(false);
  };
  const pick = async () => take(await pickFiles({ accept: '.json,.zip,application/json,application/zip' }));
  return { take: (files: readonly File[]) => void take(files), pick: () => void pick(), busy };
}
