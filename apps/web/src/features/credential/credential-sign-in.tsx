import type { Credential } from '@millrace/contracts';
import { CircleAlert, CircleCheck, Link2, Unlink } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { beginSignIn, useDisconnectCredential, useRenewCredentials } from '../../data/credentials.ts';
import { Button } from '../../ui/actions/button.tsx';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { SignInAddress } from './sign-in-address.tsx';
import { useCredentialTexts } from './texts/use-credential-texts.ts';

/** Name of the channel through which the page of the callback reports, and of its window. */
const MESSAGE = 'credential_sign_in';

/** Name of a type in addresses. */
export const toProviderName = (type: string): string => type.replaceAll('_', '-');

interface Told {
  readonly credentialId?: string;
  readonly message?: string;
}

/**
 * Hears of sign-ins that end in another window. Not over `window.opener`: pages of providers cut the windows off from each
 * other, but windows of one origin still share the channel.
 */
function useSignInMessages(receive: (told: Told) => void): void {
  useEffect(() => {
    const channel = new BroadcastChannel(MESSAGE);
    channel.addEventListener('message', ({ data }: MessageEvent<Told>) => receive(data));
    return () => channel.close();
  }, [receive]);
}

function useConnect({ id, name, type }: Credential) {
  const t = useCredentialTexts();
  const renew = useRenewCredentials();
  const [waiting, setWaiting] = useState(false);
  const [needsAddress, setNeedsAddress] = useState(false);
  const [problem, setProblem] = useState<string>();
  const end = () => {
    setWaiting(false);
    setNeedsAddress(false);
    setProblem(undefined);
    toast.done(t('connected_now', { name }));
  };
  useSignInMessages(({ credentialId, message }) => {
    if (credentialId === id) {
      void renew();
      end();
    } else if (message !== undefined && waiting) {
      setWaiting(false);
      setProblem(message);
    }
  });
  /** The window opens within the click, before the address is known: browsers block it later. */
  const connect = async () => {
    const opened = window.open('about:blank', MESSAGE, 'popup,width=560,height=720');
    if (!opened) return setProblem(t('sign_in_blocked'));
    setProblem(undefined);
    setNeedsAddress(false);
    setWaiting(true);
    try {
      const { auth_url, needs_address } = await beginSignIn(id, toProviderName(type));
      opened.location.href = auth_url;
      setNeedsAddress(needs_address);
    } catch (error) {
      opened.close();
      setWaiting(false);
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return { connect, end, waiting, needsAddress, problem };
}

/** The state of a sign-in as people see it, and what they can do about it. Shown to the owner of a stored credential. */
export function CredentialSignIn({ credential }: { credential: Credential }) {
  const t = useCredentialTexts();
  const { connect, end, waiting, needsAddress, problem } = useConnect(credential);
  const { mutateAsync: forget, isPending } = useDisconnectCredential();
  const { id, name, sign_in, public_fields } = credential;
  const button = useRef<HTMLButtonElement>(null);
  // The field that has the focus goes with the end.
  const finish = () => {
    end();
    button.current?.focus();
  };
  if (sign_in === null) return null;
  const account = typeof public_fields['account'] === 'string' ? public_fields['account'] : undefined;
  const disconnect = async () => {
    const sure = await confirm({
      title: t('disconnect_title', { name }),
      body: t('disconnect_body'),
      action: t('disconnect'),
    });
    if (!sure) return;
    await forget(id).then(() => toast.done(t('disconnected', { name })), showFailure);
  };
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <span role="status" className="flex min-w-0 grow items-center gap-1.5 text-sm">
          <SignInText state={sign_in} account={account} waiting={waiting} />
        </span>
        <Button
          ref={button}
          size="small"
          tone={sign_in === 'connected' ? 'plain' : 'primary'}
          onClick={() => void connect()}
        >
          <Link2 aria-hidden />
          {sign_in === 'missing' ? t('connect') : t('reconnect')}
        </Button>
        {sign_in === 'connected' ? (
          <Button size="small" tone="quiet-danger" busy={isPending} onClick={() => void disconnect()}>
            <Unlink aria-hidden />
            {t('disconnect')}
          </Button>
        ) : null}
      </div>
      {needsAddress ? (
        <SignInAddress credential={credential} provider={toProviderName(credential.type)} onDone={finish} />
      ) : null}
      {problem === undefined ? null : (
        <p role="alert" className="text-sm text-danger">
          {problem}
        </p>
      )}
    </div>
  );
}

interface SignInTextProps {
  state: 'missing' | 'connected' | 'ended';
  account: string | undefined;
  waiting: boolean;
}

function SignInText({ state, account, waiting }: SignInTextProps) {
  const t = useCredentialTexts();
  if (waiting) return <span className="text-soft">{t('sign_in_waiting')}</span>;
  const text =
    state === 'missing' || account === undefined
      ? t(`sign_in_${state}`)
      : t(`sign_in_${state}_as`, { account });
  if (state === 'connected') {
    return (
      <>
        <CircleCheck className="size-3.5 shrink-0 text-success" aria-hidden />
        <span className="min-w-0 break-words">{text}</span>
      </>
    );
  }
  return (
    <>
      <CircleAlert
        className={state === 'ended' ? 'size-3.5 shrink-0 text-danger' : 'size-3.5 shrink-0 text-faint'}
        aria-hidden
      />
      <span
        className={state === 'ended' ? 'min-w-0 break-words text-danger' : 'min-w-0 break-words text-soft'}
      >
        {text}
      </span>
    </>
  );
}
