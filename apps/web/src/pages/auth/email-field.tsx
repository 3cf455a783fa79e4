import { Field } from '../../ui/forms/field.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { useAuthTexts } from './texts/use-auth-texts.ts';

interface EmailFieldProps extends Omit<React.ComponentProps<typeof Input>, 'onChange' | 'value'> {
  value: string;
  error: string | undefined;
  onChange: (email: string) => void;
}

/** The address that names an account, as password managers look for it. */
export function EmailField({ value, error, onChange, ...rest }: EmailFieldProps) {
  const t = useAuthTexts();
  return (
    <Field label={t('email')} error={error}>
      {(control) => (
        <Input
          {...control}
          type="email"
          name="email"
          autoComplete="username"
          {...rest}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
