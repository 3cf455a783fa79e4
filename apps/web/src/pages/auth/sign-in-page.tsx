import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { useSignInPolicy } from '../../data/session.ts';
import { AuthFrame } from './auth-frame.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { useAuthTexts } from './texts/use-auth-texts.ts';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const t = useAuthTexts();
  const { next } = route.useSearch();
  const router = useRouter();
  const { data: policy } = useSignInPolicy();
  return (
    <AuthFrame title={t('sign_in_title')}>
      <SignInForm onDone={() => router.history.push(next ?? '/')} />
      {policy?.registration_open ? (
        <p className="mt-6 text-base text-soft">
          {t('no_account')}{' '}
          <Link
            to="/register"
            search={next ? { next } : {}}
            className="font-medium text-accent-text underline"
          >
            {t('register')}
          </Link>
        </p>
      ) : null}
    </AuthFrame>
  );
}
