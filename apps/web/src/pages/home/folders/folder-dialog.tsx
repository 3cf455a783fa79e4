import { createFolder } from '@millrace/contracts';
import { useTranslations } from 'use-intl';
import { type FolderNode, useCreateFolder, useUpdateFolder } from '../../../data/folders.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { Field } from '../../../ui/forms/field.tsx';
import { FormProblem } from '../../../ui/forms/form-problem.tsx';
import { Input, TextArea } from '../../../ui/forms/input.tsx';
import { useForm } from '../../../ui/forms/use-form.ts';
import { Dialog } from '../../../ui/overlays/dialog.tsx';

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
  const form = useForm({
    initial: { name: folder?.name ?? '', description: folder?.description ?? '' },
    schema: createFolder.body,
    submit: async (values) => {
      if (folder) await update.mutateAsync({ id: folder.id, ...values });
      else {
        const parent_id = 'parent_id' in subject ? subject.parent_id : undefined;
        await create.mutateAsync({ ...values, ...(parent_id ? { parent_id } : {}) });
      }
      onClose();
    },
  });
  return (
    <Dialog
      open
      size="small"
      onOpenChange={onClose}
      title={folder ? t('home.rename_folder') : t('home.new_folder')}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button tone="primary" busy={form.busy} onClick={form.send}>
            {folder ? t('ui.save') : t('home.create')}
          </Button>
        </>
      }
    >
      <form {...form.props} className="flex flex-col gap-4">
        <FormProblem text={form.problem} />
        <Field label={t('home.name')} error={form.errors['name']}>
          {(control) => (
            <Input
              {...control}
              autoFocus
              value={form.values.name}
              onChange={(event) => form.change({ name: event.target.value })}
            />
          )}
        </Field>
        <Field label={t('home.description')} optional error={form.errors['description']}>
          {(control) => (
            <TextArea
              {...control}
              rows={2}
              value={form.values.description}
              onChange={(event) => form.change({ description: event.target.value })}
            />
          )}
        </Field>
        <button type="submit" hidden tabIndex={-1} aria-hidden />
      </form>
    </Dialog>
  );
}
