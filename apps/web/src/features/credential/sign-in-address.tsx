import type { Credential } from '@millrace/contracts';
import { useState } from 'react';
import { useFinishSignIn } from '../../data/credentials.ts';
import { Button } from '../../ui/actions/button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { useCredentialTexts } from './texts/use-credential-texts.ts';

interface SignInAddressProps {
  credential: Credential;
  /** Name of its type in addresses. */
  provider: string;
  onDone: () => void;
}

/** Takes the address at which a sign-in ended, where nothing of this service answers. Not a form: it is shown inside of one. */
export function SignInAddress({ credential, provider, onDone }: SignInAddressProps) {
  const t = useCredentialTexts();
  const [address, setAddress] = useState('');
  const finish = useFinishSignIn();
  const send = () => {
    if (address.trim() === '' || finish.isPending) return;
    finish.mutate({ params: { provider }, body: { address } }, { onSuccess: onDone });
  };
  return (
    <Field
      label={t('sign_in_address', { name: credential.name })}
      hint={t('sign_in_address_hint')}
      error={finish.error?.message}
    >
      {(control) => (
        <div className="flex items-center gap-2">
          <Input
            {...control}
            autoComplete="off"
            spellCheck={false}
            value={address}
            onChange={(event) => setAddress(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              send();
            }}
          />
          <Button tone="primary" busy={finish.isPending} disabled={address.trim() === ''} onClick={send}>
            {t('sign_in_finish')}
          </Button>
        </div>
      )}
    </Field>
  );
}
