import type { Workflow } from '@millrace/contracts';
import { Field } from '../../../ui/forms/field.tsx';
import { Input } from '../../../ui/forms/input.tsx';
import { usePortalTexts } from './texts/use-portal-texts.ts';

type Limit = Pick<Workflow, 'portal_rate_limit_requests' | 'portal_rate_limit_window_seconds'>;

const pickLimit = ({ portal_rate_limit_requests, portal_rate_limit_window_seconds }: Limit): Limit => ({
  portal_rate_limit_requests,
  portal_rate_limit_window_seconds,
});

const parseNumber = (text: string): number | null =>
  text.trim() === '' ? null : Math.max(0, Math.trunc(Number(text) || 0));

/** How many messages one visitor may send in which time. */
export function PortalLimit({ limit, onChange }: { limit: Limit; onChange: (limit: Limit) => void }) {
  const t = usePortalTexts();
  const number = (name: keyof Limit, hint?: string) => (
    <Field label={t(name)} hint={hint}>
      {(control) => (
        <Input
          {...control}
          type="number"
          min={0}
          placeholder={t('no_limit')}
          value={limit[name] ?? ''}
          onChange={(event) => onChange({ ...pickLimit(limit), [name]: parseNumber(event.target.value) })}
        />
      )}
    </Field>
  );
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {number('portal_rate_limit_requests', t('portal_rate_limit_hint'))}
      {number('portal_rate_limit_window_seconds')}
    </div>
  );
}
