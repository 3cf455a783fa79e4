import {
  createVectorStore,
  updateVectorStore,
  VECTOR_STORE_BACKENDS,
  type VectorStore,
} from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { useCredentials } from '../../data/credentials.ts';
import { useCreateVectorStore, useUpdateVectorStore } from '../../data/vector-stores.ts';
import { useCredentialTypes } from '../../i18n/use-credential-types.ts';
import { Button, buttonStyle } from '../../ui/actions/button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { DescriptionField, NameField } from '../../ui/forms/name-fields.tsx';
import { Picker } from '../../ui/forms/picker.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { useVectorStoresTexts } from './texts/use-vector-stores-texts.ts';

interface VectorStoreDialogProps {
  /** A stored one to rename or describe; absent for a new one. */
  store?: VectorStore | undefined;
  onClose: () => void;
}

interface Values {
  name: string;
  description: string;
  credential_id: string;
  collection_name: string;
}

/** Blank collection names are the service's to choose. */
const creation = ({ collection_name, ...values }: Values) =>
  collection_name.trim() === '' ? values : { ...values, collection_name };

function useStoreForm({ store, onClose }: VectorStoreDialogProps) {
  const t = useVectorStoresTexts();
  const create = useCreateVectorStore();
  const update = useUpdateVectorStore();
  return useForm<Values>({
    initial: {
      name: store?.name ?? '',
      description: store?.description ?? '',
      credential_id: '',
      collection_name: '',
    },
    schema: store ? updateVectorStore.body : createVectorStore.body,
    toBody: (values) => (store ? { name: values.name, description: values.description } : creation(values)),
    submit: async (values) => {
      const { name, description } = values;
      if (store) await update.mutateAsync({ params: { id: store.id }, body: { name, description } });
      else await create.mutateAsync({ body: creation(values) });
      onClose();
      toast.done(t(store ? 'saved' : 'created', { name }));
    },
  });
}

export function VectorStoreDialog({ store, onClose }: VectorStoreDialogProps) {
  const t = useVectorStoresTexts();
  const ui = useTranslations('ui');
  const form = useStoreForm({ ...(store ? { store } : {}), onClose });
  const { data: credentials } = useCredentials();
  const types = useCredentialTypes();
  const backends = (credentials ?? []).filter((credential) => VECTOR_STORE_BACKENDS.has(credential.type));
  const { values, errors, change } = form;
  if (!store && credentials && backends.length === 0) return <NoBackend onClose={onClose} />;
  return (
    <FormDialog
      form={form}
      title={store ? t('edit', { name: store.name }) : t('new')}
      description={store ? undefined : t('new_hint')}
      action={store ? ui('save') : t('create')}
      onClose={onClose}
    >
      <NameField form={form} />
      <DescriptionField form={form} />
      {store ? (
        <Field label={t('collection')} hint={t('collection_fixed')}>
          {(control) => <Input {...control} readOnly mono value={store.collection_name} />}
        </Field>
      ) : (
        <>
          <Field
            label={t('credential')}
            hint={t('credential_hint')}
            error={errors['credential_id'] === undefined ? undefined : t('choose_credential')}
          >
            {(control) => (
              <Picker
                {...control}
                value={values.credential_id}
                placeholder={t('choose_credential')}
                choices={backends.map((credential) => ({
                  value: credential.id,
                  label: credential.name,
                  hint: types.get(credential.type)?.title ?? credential.type,
                }))}
                onChange={(credential_id) => change({ credential_id })}
              />
            )}
          </Field>
          <Field
            label={t('collection')}
            optional
            hint={t('collection_hint')}
            error={errors['collection_name']}
          >
            {(control) => (
              <Input
                {...control}
                mono
                autoComplete="off"
                value={values.collection_name}
                onChange={(event) => change({ collection_name: event.target.value })}
              />
            )}
          </Field>
        </>
      )}
    </FormDialog>
  );
}

/** A store is a place behind a credential, so that comes first. */
function NoBackend({ onClose }: { onClose: () => void }) {
  const t = useVectorStoresTexts();
  const ui = useTranslations('ui');
  return (
    <Dialog
      open
      size="small"
      onOpenChange={onClose}
      title={t('new')}
      description={t('needs_credential')}
      footer={
        <>
          <Button onClick={onClose}>{ui('cancel')}</Button>
          <Link to="/credentials" className={buttonStyle({ tone: 'primary' })}>
            {t('go_to_credentials')}
          </Link>
        </>
      }
    />
  );
}
