import { createFolder } from '@millrace/contracts';
import { useTranslations } from 'use-intl';
import { type FolderNode, useCreateFolder, useUpdateFolder } from '../../../data/folders.ts';
import { NameDialog } from '../../../ui/overlays/name-dialog.tsx';

interface FolderDialogProps {
  /** A folder to change, or the place of a new one. */
  subject: { folder: FolderNode } | { parent_id: string | undefined };
  onClose: () => void;
}

export function FolderDialog({ subject, onClose }: FolderDialogProps) {
  const t = useTranslations();
  const create = useCreateFolder();
  const update = useUpdateFolder();
  const folder = 'folder' in subject ? subject.folder : undefined;
  return (
    <NameDialog
      title={folder ? t('home.rename_folder') : t('home.new_folder')}
      action={folder ? t('ui.save') : t('home.create')}
      labels={{ name: t('home.name'), description: t('home.description') }}
      initial={{ name: folder?.name ?? '', description: folder?.description ?? '' }}
      schema={createFolder.body}
      submit={async (values) => {
        if (folder) return update.mutateAsync({ id: folder.id, ...values });
        const parent_id = 'parent_id' in subject ? subject.parent_id : undefined;
        return create.mutateAsync({ ...values, ...(parent_id ? { parent_id } : {}) });
      }}
      onClose={onClose}
    />
  );
}
