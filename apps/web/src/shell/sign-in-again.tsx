import { useQueryClient } from '@tanstack/react-query';
import { meQuery, signOut } from '../data/session.ts';
import { SignInForm } from '../pages/auth/sign-in-form.tsx';
import { useAuthTexts } from '../pages/auth/texts/use-auth-texts.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/actions/button.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';

/** Asks for the password over the page when a session could not be renewed; requests wait until it is answered. */
export default function SignInAgain() {
  const t = useAuthTexts();
  const client = useQueryClient();
  const ended = useSession((state) => state.status === 'ended');
  const me = client.getQueryData(meQuery.queryKey);
  if (!ended) return null;
  return (
    <Dialog
      open
      sticky
      size="small"
      title={t('again_title')}
      description={t('again_hint')}
      onOpenChange={() => undefined}
      footer={
        <Button
          tone="quiet"
          onClick={() => void signOut(client).then(() => window.location.assign('/sign-in'))}
        >
          {t('leave')}
        </Button>
      }
    >
      <SignInForm {...(me ? { email: me.email } : {})} onDone={() => undefined} />
    </Dialog>
  );
}
