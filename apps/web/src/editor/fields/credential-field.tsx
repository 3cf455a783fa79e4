import type { Credential } from '@millrace/contracts';
import { Pencil, Plus, X } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useCredentials } from '../../data/credentials.ts';
import { CredentialSignIn } from '../../features/credential/credential-sign-in.tsx';
import { lazy } from '../../lib/code/lazy.ts';
import { toText } from '../../lib/json/to-text.ts';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { usePanelTexts } from '../panel/texts/use-panel-texts.ts';
import type { ParameterFieldProps } from './parameter-field-props.ts';

const CredentialDialog = lazy(() =>
  import('../../features/credential/credential-dialog.tsx').then((module) => ({
    default: module.CredentialDialog,
  })),
);

/** A choice beside the ids of credentials. */
const NEW = '+';

/** A stored credential of one of the types that the node accepts, which can be made and changed here. */
export function CredentialField({ meta, value, problem, onChange }: ParameterFieldProps) {
  const t = usePanelTexts('fields');
  const { data } = useCredentials();
  const [edited, setEdited] = useState<Credential | 'new'>();
  const accepted = meta.credential_types;
  const choices = (data ?? [])
    .filter((credential) => accepted === undefined || accepted.includes(credential.type))
    .map((credential) => ({ value: credential.id, label: credential.name }));
  const stored = toText(value);
  const gone = stored !== '' && data !== undefined && !choices.some((choice) => choice.value === stored);
  const chosen = data?.find(({ id, is_shared }) => id === stored && !is_shared);
  return (
    <>
      <Field label={meta.title} hint={meta.help} error={problem ?? (gone ? t('credential_gone') : undefined)}>
        {(control) => (
          <span className="flex items-center gap-1">
            <Select
              {...control}
              value={stored === '' ? undefined : stored}
              choices={[...choices, { value: NEW, label: t('new_credential'), icon: <Plus aria-hidden /> }]}
              placeholder={t('choose_credential')}
              onChange={(id) => (id === NEW ? setEdited('new') : onChange(id))}
            />
            {stored === '' ? null : (
              <IconButton
                label={t('clear_credential')}
                icon={<X aria-hidden />}
                size="small"
                onClick={() => {
                  onChange('');
                  // The button goes away with what it cleared.
                  document.getElementById(control.id)?.focus();
                }}
              />
            )}
            {chosen ? (
              <IconButton
                label={t('edit_credential', { name: chosen.name })}
                icon={<Pencil aria-hidden />}
                size="small"
                onClick={() => setEdited(chosen)}
              />
            ) : null}
          </span>
        )}
      </Field>
      {edited === undefined ? null : (
        <Suspense fallback={null}>
          <CredentialDialog
            credential={edited === 'new' ? undefined : edited}
            accepted={accepted}
            onCreated={({ id }) => onChange(id)}
            onClose={() => setEdited(undefined)}
          />
        </Suspense>
      )}
      {chosen?.sign_in ? <CredentialSignIn key={chosen.id} credential={chosen} /> : null}
    </>
  );
}
