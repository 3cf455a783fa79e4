import { ApiError } from '@millrace/contracts/client';
import { type SyntheticEvent, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import type { z } from 'zod';

export type FieldErrors = Readonly<Record<string, string | undefined>>;

interface FormOptions<Values extends object> {
  initial: Values;
  /** The contract's schema of what is sent; checked before sending. */
  schema?: z.ZodType;
  /** Turns the values of the form into what the schema describes. */
  toBody?: (values: Values) => unknown;
  submit: (values: Values) => Promise<unknown>;
}

/** First problem of each field in an answer with status 422. */
export function serverFieldErrors(error: unknown): Record<string, string> {
  const errors: Record<string, string> = Object.create(null) as Record<string, string>;
  if (!(error instanceof ApiError) || !Array.isArray(error.body?.detail)) return errors;
  for (const problem of error.body.detail) {
    const name = problem.loc.slice(1).join('.');
    errors[name] ??= problem.msg;
  }
  return errors;
}

/** Puts the focus on the first field with a problem once the problems are on screen. */
export function focusFirstProblem(form: HTMLElement | null): void {
  requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}

function useIssueText() {
  const t = useTranslations('form');
  return (issue: z.core.$ZodIssue): string => {
    if (issue.code === 'too_small' && issue.origin === 'string' && issue.minimum === 1) return t('required');
    if (issue.code === 'too_small' && issue.origin === 'string')
      return t('too_short', { count: Number(issue.minimum) });
    if (issue.code === 'too_big' && issue.origin === 'string')
      return t('too_long', { count: Number(issue.maximum) });
    if (issue.code === 'too_small') return t('too_low', { count: Number(issue.minimum) });
    if (issue.code === 'too_big') return t('too_high', { count: Number(issue.maximum) });
    if (issue.code === 'invalid_format' && issue.format === 'email') return t('email');
    if (issue.code === 'invalid_type') return Number.isNaN(issue.input) ? t('number') : t('required');
    return issue.message;
  };
}

/** Values, errors and submission of a small form. Errors appear at submission and vanish as the field changes. */
export function useForm<Values extends object>({ initial, schema, toBody, submit }: FormOptions<Values>) {
  const issueText = useIssueText();
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);

  const change = (part: Partial<Values>) => {
    setValues((before) => ({ ...before, ...part }));
    setProblem(undefined);
    setErrors((before) => Object.fromEntries(Object.entries(before).filter(([name]) => !(name in part))));
  };

  const show = (found: Record<string, string>) => {
    setErrors(found);
    focusFirstProblem(form.current);
  };

  const check = (): boolean => {
    if (!schema) return true;
    const parsed = schema.safeParse(toBody ? toBody(values) : values, { reportInput: true });
    if (parsed.success) return true;
    const found: Record<string, string> = {};
    for (const issue of parsed.error.issues) found[issue.path.join('.')] ??= issueText(issue);
    show(found);
    return false;
  };

  const send = async () => {
    if (busy || !check()) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await submit(values);
    } catch (error) {
      const found = serverFieldErrors(error);
      if (Object.keys(found).length > 0) show(found);
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };

  return {
    values,
    errors: errors as FieldErrors,
    /** The problem of the form as a whole: a sentence of the server. */
    problem,
    busy,
    change,
    setErrors: show,
    /** Spread on the form element. */
    props: {
      ref: form,
      noValidate: true,
      onSubmit: (event: SyntheticEvent) => {
        event.preventDefault();
        event.stopPropagation();
        void send();
      },
    },
    send: () => void send(),
  };
}
