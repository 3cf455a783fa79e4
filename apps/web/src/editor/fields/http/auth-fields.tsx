import { type Auth, credentialIn, credentialText } from '@millrace/nodes/curl-form';
import { useCredentials } from '../../../data/credentials.ts';
import { Field } from '../../../ui/forms/field.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import type { FieldContext } from './field-context.ts';
import { TemplateField } from './template-field.tsx';
import { useHttpTexts } from './texts/use-http-texts.ts';

const KINDS = ['none', 'basic', 'bearer', 'header'] as const;

/** Types of credentials whose value in an expression is what the header needs. */
const TYPES: Readonly<Record<Auth['kind'], readonly string[]>> = {
  none: [],
  basic: ['basic_auth'],
  bearer: ['bearer', 'oauth2'],
  header: ['header'],
};

interface AuthFieldsProps {
  context: FieldContext;
  auth: Auth;
  onChange: (auth: Auth) => void;
}

export function AuthFields({ context, auth, onChange }: AuthFieldsProps) {
  const t = useHttpTexts();
  return (
    <>
      <Field label={t('auth')}>
        {(control) => (
          <Select
            {...control}
            value={auth.kind}
            choices={KINDS.map((value) => ({ value, label: t(`auth_kind.${value}`) }))}
            onChange={(kind) => {
              if (kind !== auth.kind) onChange(kind === 'none' ? { kind } : { kind, value: '' });
            }}
          />
        )}
      </Field>
      {auth.kind === 'none' ? null : (
        <SignIn key={auth.kind} context={context} auth={auth} onChange={onChange} />
      )}
    </>
  );
}

type SignInAuth = Exclude<Auth, { kind: 'none' }>;

/** Value of the choice "other text" in the list of credentials. */
const OWN = '';

function SignIn({ context, auth, onChange }: AuthFieldsProps & { auth: SignInAuth }) {
  const t = useHttpTexts();
  const { data = [], isSuccess } = useCredentials();
  const chosen = credentialIn(auth.value);
  const names = data.filter(({ type }) => TYPES[auth.kind].includes(type)).map(({ name }) => name);
  const offered = [...new Set(chosen === undefined ? names : [...names, chosen])];
  const hasOwn = auth.kind !== 'header';
  const isGone = isSuccess && chosen !== undefined && !data.some(({ name }) => name === chosen);
  const hint = isSuccess && names.length === 0 ? t('no_credentials') : undefined;
  return (
    <>
      <Field
        label={t('credential')}
        {...(isGone ? { error: t('credential_gone', { name: chosen }) } : { hint })}
      >
        {(control) => (
          <Select
            {...control}
            value={chosen ?? (hasOwn ? OWN : undefined)}
            placeholder={t('choose_credential')}
            choices={[
              ...(hasOwn ? [{ value: OWN, label: t('own_value') }] : []),
              ...offered.map((name) => ({ value: name, label: name })),
            ]}
            onChange={(name) => onChange({ ...auth, value: name === OWN ? '' : credentialText(name) })}
          />
        )}
      </Field>
      {hasOwn && chosen === undefined ? (
        <TemplateField
          {...context}
          label={t(auth.kind === 'basic' ? 'basic_value' : 'bearer_value')}
          hint={t(auth.kind === 'basic' ? 'basic_hint' : 'bearer_hint')}
          value={auth.value}
          onChange={(value) => onChange({ ...auth, value })}
        />
      ) : null}
    </>
  );
}
