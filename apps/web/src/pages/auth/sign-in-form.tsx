import { login } from '@millrace/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../data/api.ts';
import { signIn } from '../../data/session.ts';
import { Button } from '../../ui/actions/button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { PasswordInput } from '../../ui/forms/input.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { EmailField } from './email-field.tsx';
import { useAuthTexts } from './texts/use-auth-texts.ts';

interface SignInFormProps {
  /** Fixed address, when a session that ended is taken up again. */
  email?: string;
  onDone: () => void;
}

export function SignInForm({ email, onDone }: SignInFormProps) {
  const t = useAuthTexts();
  const client = useQueryClient();
  const form = useForm({
    initial: { email: email ?? '', password: '' },
    schema: login.body,
    submit: async (values) => {
      try {
        await signIn(client, { email: values.email.trim(), password: values.password });
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) throw new Error(t('wrong'), { cause: error });
        throw error;
      }
      onDone();
    },
  });
  const empty = form.values.email.trim() === '' || form.values.password === '';
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <FormProblem text={form.problem} />
      <EmailField
        autoFocus={email === undefined}
        readOnly={email !== undefined}
        // A dialog puts the focus on its first stop, which should be the password.
        tabIndex={email === undefined ? 0 : -1}
        value={form.values.email}
        error={form.errors['email']}
        onChange={(entered) => form.change({ email: entered })}
      />
      <Field label={t('password')} error={form.errors['password']}>
        {(control) => (
          <PasswordInput
            {...control}
            name="password"
            autoComplete="current-password"
            autoFocus={email !== undefined}
            value={form.values.password}
            onChange={(event) => form.change({ password: event.target.value })}
          />
        )}
      </Field>
      <Button type="submit" tone="primary" size="large" busy={form.busy} disabled={empty} className="mt-1">
        {t('sign_in')}
      </Button>
    </form>
  );
}
