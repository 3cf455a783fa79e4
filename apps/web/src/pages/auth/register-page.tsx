import { register } from '@millrace/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { signUp, useSignInPolicy } from '../../data/session.ts';
import { Button } from '../../ui/actions/button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { PasswordInput } from '../../ui/forms/input.tsx';
import { NameField } from '../../ui/forms/name-fields.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { AuthFrame } from './auth-frame.tsx';
import { EmailField } from './email-field.tsx';
import { PasswordRulesList } from './password-rules-list.tsx';
import { useAuthTexts } from './texts/use-auth-texts.ts';

const route = getRouteApi('/register');

export function RegisterPage() {
  const t = useAuthTexts();
  const { next } = route.useSearch();
  const { data: policy } = useSignInPolicy();
  return (
    <AuthFrame title={t('register_title')} hint={policy?.first_account ? t('first_account') : undefined}>
      {policy?.registration_open === false ? (
        <FormProblem text={t('registration_closed')} />
      ) : (
        <RegisterForm next={next} />
      )}
      <p className="mt-6 text-base text-soft">
        {t('have_account')}{' '}
        <Link to="/sign-in" search={next ? { next } : {}} className="font-medium text-accent-text underline">
          {t('sign_in')}
        </Link>
      </p>
    </AuthFrame>
  );
}

function RegisterForm({ next }: { next: string | undefined }) {
  const t = useAuthTexts();
  const client = useQueryClient();
  const router = useRouter();
  const form = useForm({
    initial: { name: '', email: '', password: '' },
    schema: register.body,
    submit: async (values) => {
      await signUp(client, { ...values, email: values.email.trim() });
      router.history.push(next ?? '/');
    },
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <FormProblem text={form.problem} />
      <NameField form={form} name="name" autoComplete="name" />
      <EmailField
        value={form.values.email}
        error={form.errors['email']}
        onChange={(email) => form.change({ email })}
      />
      <Field
        label={t('password')}
        error={form.errors['password'] === undefined ? undefined : t('password_rules_open')}
        hint={<PasswordRulesList password={form.values.password} />}
      >
        {(control) => (
          <PasswordInput
            {...control}
            name="password"
            autoComplete="new-password"
            value={form.values.password}
            onChange={(event) => form.change({ password: event.target.value })}
          />
        )}
      </Field>
      <Button type="submit" tone="primary" size="large" busy={form.busy} className="mt-1">
        {t('register')}
      </Button>
    </form>
  );
}
