import { BOARD_MAPPER_TYPES, type BoardSummary, updateBoard } from '@millrace/contracts';
import { useTranslations } from 'use-intl';
import { useSaveBoard } from '../../data/boards.ts';
import { useCredentials } from '../../data/credentials.ts';
import { Field } from '../../ui/forms/field.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { DescriptionField, NameField } from '../../ui/forms/name-fields.tsx';
import { Picker } from '../../ui/forms/picker.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { useBoardsTexts } from './texts/use-boards-texts.ts';

interface Values {
  name: string;
  description: string;
  mapper_credential_id: string;
  mapper_model: string;
}

const buildBody = ({ name, description, mapper_credential_id, mapper_model }: Values) => ({
  name,
  description,
  mapper_credential_id: mapper_credential_id || null,
  mapper_model: mapper_credential_id === '' ? null : mapper_model.trim() || null,
});

interface BoardDialogProps {
  /** A stored one to change; absent for a new one. */
  board?: BoardSummary | undefined;
  onClose: () => void;
  onCreated?: (id: string) => void;
}

/** Name and description of a board, and the model that maps its cards to the inputs of workflows. */
export function BoardDialog({ board, onClose, onCreated }: BoardDialogProps) {
  const t = useBoardsTexts();
  const ui = useTranslations('ui');
  const save = useSaveBoard(board?.id);
  const { data: credentials = [] } = useCredentials();
  const form = useForm<Values>({
    initial: {
      name: board?.name ?? '',
      description: board?.description ?? '',
      mapper_credential_id: board?.mapper_credential_id ?? '',
      mapper_model: board?.mapper_model ?? '',
    },
    schema: updateBoard.body,
    toBody: buildBody,
    submit: async (values) => {
      const { id } = await save.mutateAsync(buildBody(values));
      onClose();
      toast.done(t(board ? 'saved' : 'created', { name: values.name }));
      if (!board) onCreated?.(id);
    },
  });
  const { values, change, errors } = form;
  return (
    <FormDialog
      form={form}
      title={board ? t('edit') : t('new')}
      description={t('new_hint')}
      action={board ? ui('save') : t('create')}
      onClose={onClose}
    >
      <NameField form={form} />
      <DescriptionField form={form} />
      <Field label={t('mapper')} optional hint={t('mapper_hint')} error={errors['mapper_credential_id']}>
        {(control) => (
          <Picker
            {...control}
            value={values.mapper_credential_id}
            none={t('no_mapper')}
            choices={credentials
              .filter(({ type }) => BOARD_MAPPER_TYPES.has(type))
              .map(({ id, name }) => ({ value: id, label: name }))}
            onChange={(mapper_credential_id) => change({ mapper_credential_id })}
          />
        )}
      </Field>
      {values.mapper_credential_id === '' ? null : (
        <Field label={t('mapper_model')} error={errors['mapper_model']}>
          {(control) => (
            <Input
              {...control}
              autoComplete="off"
              value={values.mapper_model}
              onChange={(event) => change({ mapper_model: event.target.value })}
            />
          )}
        </Field>
      )}
    </FormDialog>
  );
}
