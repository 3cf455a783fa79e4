import type { Credential } from '@millrace/contracts';
import { useCredentials } from '../../data/credentials.ts';
import { CopyButton } from '../../ui/actions/copy-button.tsx';
import { CredentialSignIn, toProviderName } from './credential-sign-in.tsx';
import { useCredentialTexts } from './texts/use-credential-texts.ts';

interface SignInFieldsProps {
  type: string;
  /** Whether the provider has to be told the address that it sends browsers back to. */
  registersAddress: boolean;
  /** Absent until the credential is created. */
  stored: Credential | undefined;
}

/** The address that the provider wants to know, and the sign-in itself. */
export function SignInFields({ type, registersAddress, stored }: SignInFieldsProps) {
  const t = useCredentialTexts();
  const { data = [] } = useCredentials();
  const redirect = `${window.location.origin}/api/credentials/${toProviderName(type)}/oauth/callback`;
  const credential = data.find(({ id }) => id === stored?.id) ?? stored;
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-4">
      {registersAddress ? (
        <div>
          <p className="text-sm font-medium">{t('redirect_url')}</p>
          <p className="flex items-center gap-1">
            <code className="min-w-0 truncate text-sm text-soft">{redirect}</code>
            <CopyButton text={redirect} />
          </p>
          <p className="text-sm text-faint">{t('redirect_url_hint')}</p>
        </div>
      ) : null}
      {credential ? (
        <CredentialSignIn credential={credential} />
      ) : (
        <p className="text-sm text-soft">{t('sign_in_first')}</p>
      )}
    </div>
  );
}
