import { type Credential, createCredential } from '@millrace/contracts';
import { asksSignIn, type CredentialType } from '@millrace/engine/credential';
import { modelRouterConfig } from '@millrace/nodes/credentials';
import { ArrowLeft, CircleAlert, CircleCheck, PlugZap } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import {
  useCreateCredential,
  useCredentials,
  useModelRouter,
  useTestCredential,
  useUpdateCredential,
} from '../../data/credentials.ts';
import { useCredentialTypes } from '../../i18n/use-credential-types.ts';
import { pathText } from '../../lib/json/json-path.ts';
import { Button } from '../../ui/actions/button.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { NameField } from '../../ui/forms/name-fields.tsx';
import { focusFirstProblem, serverFieldErrors, useForm } from '../../ui/forms/use-form.ts';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { ConfigFields } from './config-fields.tsx';
import { buildConfig, findProblems, initialValues } from './config-form.ts';
import { CredentialUses } from './credential-uses.tsx';
import { EMPTY_ROUTER, RouterFields, type RouterValues } from './router-fields.tsx';
import { SignInFields } from './sign-in-fields.tsx';
import { useCredentialTexts } from './texts/use-credential-texts.ts';
import { TypePicker } from './type-picker.tsx';

interface CredentialDialogProps {
  /** A stored credential to change; absent for a new one. */
  credential?: Credential | undefined;
  /** Types that a new one may have; absent for all. */
  accepted?: readonly string[] | undefined;
  /** Called before a new one that someone signs in to is signed in to. */
  onCreated?: (credential: Credential) => void;
  onClose: () => void;
}

/** Choosing a type, then its form. A stored credential, or the only type there is, goes straight to the form. */
export function CredentialDialog({ credential: given, accepted, onCreated, onClose }: CredentialDialogProps) {
  const t = useCredentialTexts();
  const [credential, setCredential] = useState(given);
  const types = useCredentialTypes();
  const only = accepted?.length === 1 ? accepted[0] : undefined;
  const [chosen, setChosen] = useState(given?.type ?? only);
  const type = chosen === undefined ? undefined : types.get(chosen);
  const router = useModelRouter(credential?.type === 'model_router' ? credential.id : undefined);
  if (!type) {
    return (
      <Dialog open onOpenChange={onClose} size="large" title={t('new')} description={t('new_hint')}>
        <TypePicker accepted={accepted} onPick={(picked) => setChosen(picked.type)} />
      </Dialog>
    );
  }
  if (router.isLoading) {
    return (
      <Dialog open onOpenChange={onClose} title={type.title}>
        <SkeletonRows rows={4} />
      </Dialog>
    );
  }
  const back = credential || only !== undefined ? {} : { onBack: () => setChosen(undefined) };
  const created = (made: Credential) => {
    onCreated?.(made);
    if (made.sign_in === null) onClose();
    else setCredential(made);
  };
  return (
    <CredentialForm
      key={`${type.type} ${credential?.id ?? ''}`}
      type={type}
      stored={credential}
      router={router.data ?? EMPTY_ROUTER}
      onClose={onClose}
      onCreated={created}
      {...back}
    />
  );
}

interface CredentialFormProps {
  type: CredentialType;
  stored: Credential | undefined;
  router: RouterValues;
  onClose: () => void;
  /** A new one that someone signs in to stays open for that. */
  onCreated: (credential: Credential) => void;
  onBack?: () => void;
}

interface Values {
  name: string;
  config: Record<string, unknown>;
  router: RouterValues;
}

/** Whether expressions get something out of a filled credential of the type. */
const isReadable = (type: CredentialType): boolean =>
  Boolean(type.expression(Object.fromEntries(type.fields.map((field) => [field.name, 'x']))));

/** Problems of the configuration by field; the router has a shape of its own. */
function checkConfig(
  type: CredentialType,
  values: Values,
  stored: Credential | undefined,
): Record<string, string> {
  if (type.type !== 'model_router') return findProblems(type, values.config, stored);
  const parsed = modelRouterConfig.safeParse(values.router);
  const problems: Record<string, string> = {};
  for (const issue of parsed.error?.issues ?? []) problems[issue.path.join('.')] ??= issue.message;
  return problems;
}

/** Problems that the server found, by the field of the configuration. */
const readConfigErrors = (error: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(serverFieldErrors(error)).map(([name, text]) => [name.replace(/^config\./, ''), text]),
  );

function useCredentialForm({ type, stored, router, onClose, onCreated }: CredentialFormProps) {
  const t = useCredentialTexts();
  const create = useCreateCredential();
  const update = useUpdateCredential();
  const [errors, setErrors] = useState<Record<string, string>>({});
  const send = ({ config, ...values }: Values) =>
    type.type === 'model_router' ? { ...values.router } : buildConfig(type, config, stored !== undefined);
  const form = useForm<Values>({
    initial: { name: stored?.name ?? '', config: initialValues(type, stored), router },
    schema: createCredential.body.pick({ name: true }),
    submit: async (values) => {
      const problems = checkConfig(type, values, stored);
      setErrors(problems);
      if (Object.keys(problems).length > 0) {
        focusFirstProblem(form.props.ref.current);
        return;
      }
      try {
        const config = send(values);
        if (stored) {
          await update.mutateAsync({ params: { id: stored.id }, body: { name: values.name, config } });
          onClose();
        } else {
          onCreated(await create.mutateAsync({ body: { name: values.name, type: type.type, config } }));
        }
      } catch (error) {
        setErrors(readConfigErrors(error));
        throw error;
      }
      toast.done(stored ? t('saved', { name: values.name }) : t('created', { name: values.name }));
    },
  });
  const clear = (name: string) =>
    setErrors((before) => Object.fromEntries(Object.entries(before).filter(([key]) => key !== name)));
  return { form, errors, setErrors, clear, configFor: () => send(form.values) };
}

function CredentialForm(props: CredentialFormProps) {
  const { type, stored, onClose, onBack } = props;
  const t = useCredentialTexts();
  const ui = useTranslations('ui');
  const { form, errors, setErrors, clear, configFor } = useCredentialForm(props);
  const { data: credentials = [] } = useCredentials();
  const isRouter = type.type === 'model_router';
  const check = () => {
    const problems = checkConfig(type, form.values, stored);
    setErrors(problems);
    return Object.keys(problems).length === 0 ? configFor() : undefined;
  };
  // Both halves are checked at once, so that all problems are shown together.
  const submit = () => {
    check();
    form.send();
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size={isRouter ? 'large' : 'medium'}
      title={stored ? t('edit', { name: stored.name }) : type.title}
      description={stored ? type.title : undefined}
      footer={
        <>
          {onBack ? (
            <Button tone="quiet" onClick={onBack} className="mr-auto">
              <ArrowLeft aria-hidden />
              {t('other_type')}
            </Button>
          ) : null}
          <Button onClick={onClose}>{ui('cancel')}</Button>
          <Button tone="primary" busy={form.busy} onClick={submit}>
            {stored ? ui('save') : t('create')}
          </Button>
        </>
      }
    >
      <form
        {...form.props}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
        className="flex flex-col gap-4"
      >
        <FormProblem text={form.problem} />
        <NameField
          form={form}
          hint={
            isReadable(type)
              ? t('name_hint', { expression: `$credentials${pathText([form.values.name || 'name'])}` })
              : undefined
          }
        />
        {isRouter ? (
          <RouterFields
            values={form.values.router}
            errors={errors}
            credentials={credentials}
            onChange={(router) => {
              form.change({ router });
              setErrors({});
            }}
          />
        ) : (
          <ConfigFields
            type={type}
            values={form.values.config}
            errors={errors}
            stored={stored}
            onChange={(name, value) => {
              form.change({ config: { ...form.values.config, [name]: value } });
              clear(name);
            }}
          />
        )}
        {asksSignIn(type, form.values.config) ? (
          <SignInFields
            type={type.type}
            registersAddress={type.oauth?.(form.values.config)?.redirect_uri === undefined}
            stored={stored}
          />
        ) : null}
        {stored ? <CredentialUses id={stored.id} /> : null}
        <TestLine type={type.type} id={stored?.id} configFor={check} onProblems={setErrors} />
        <button type="submit" hidden tabIndex={-1} aria-hidden />
      </form>
    </Dialog>
  );
}

interface TestLineProps {
  type: string;
  id: string | undefined;
  /** The configuration, or undefined when it has problems. */
  configFor: () => Record<string, unknown> | undefined;
  /** Called with what the server says of fields. */
  onProblems: (errors: Record<string, string>) => void;
}

/** Tries what is in the form against the service and says what came of it. */
function TestLine({ type, id, configFor, onProblems }: TestLineProps) {
  const t = useCredentialTexts();
  const test = useTestCredential();
  const run = () => {
    const config = configFor();
    if (!config) return;
    test.mutate(
      { body: { type, config, ...(id ? { credential_id: id } : {}) } },
      { onError: (error) => onProblems(readConfigErrors(error)) },
    );
  };
  const result = test.data ?? (test.error ? { success: false, message: test.error.message } : undefined);
  return (
    <div className="flex flex-wrap items-center gap-3 border-t border-line pt-4">
      <Button size="small" onClick={run} busy={test.isPending}>
        <PlugZap aria-hidden />
        {t('test')}
      </Button>
      <span role="status" className="min-w-0 grow text-sm">
        {result ? (
          <span
            className={
              result.success
                ? 'flex items-start gap-1.5 text-success'
                : 'flex items-start gap-1.5 text-danger'
            }
          >
            {result.success ? (
              <CircleCheck className="mt-0.5 size-3.5 shrink-0" aria-hidden />
            ) : (
              <CircleAlert className="mt-0.5 size-3.5 shrink-0" aria-hidden />
            )}
            <span className="min-w-0 break-words">{result.message}</span>
          </span>
        ) : null}
      </span>
    </div>
  );
}
