import { createFolder } from '@millrace/contracts';
import { useTranslations } from 'use-intl';
import { type FolderNode, useCreateFolder, useUpdateFolder } from '../../../data/folders.ts';
import { NameDialog } from '../../../ui/overlays/name-dialog.tsx';
import { useHomeTexts } from '../texts/use-home-texts.ts';

interface FolderDialogProps {
  /** A folder to change, or the place of a new one. */
  subject: { folder: FolderNode } | { parent_id: string | undefined };
  onClose: () => void;
}

export function FolderDialog({ subject, onClose }: FolderDialogProps) {
  const t = useHomeTexts();
  const ui = useTranslations('ui');
  const create = useCreateFolder();
  const update = useUpdateFolder();
  const folder = 'folder' in subject ? subject.folder : undefined;
  return (
    <NameDialog
      title={folder ? t('rename_folder') : t('new_folder')}
      action={folder ? ui('save') : t('create')}
      initial={{ name: folder?.name ?? '', description: folder?.description ?? '' }}
      schema={createFolder.body}
      submit={async (values) => {
        if (folder) return update.mutateAsync({ id: folder.id, ...values });
        const parent_id = 'parent_id' in subject ? subject.parent_id : undefined;
        return create.mutateAsync({ body: { ...values, ...(parent_id ? { parent_id } : {}) } });
      }}
      onClose={onClose}
    />
  );
}
