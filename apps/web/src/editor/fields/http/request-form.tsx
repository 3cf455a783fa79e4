import { isCurlCommand } from '@millrace/nodes/curl';
import type { CurlForm, FormBody, HeaderRow } from '@millrace/nodes/curl-form';
import { useId } from 'react';
import { Select } from '../../../ui/forms/select.tsx';
import { Switch } from '../../../ui/forms/toggles.tsx';
import type { ParameterFieldProps } from '../parameter-field-props.ts';
import { RowList } from '../row-list.tsx';
import { AuthFields } from './auth-fields.tsx';
import { BodyFields } from './body-fields.tsx';
import type { FieldContext } from './field-context.ts';
import { NamedValue } from './named-value.tsx';
import { PairRows } from './pair-rows.tsx';
import { TemplateField, TemplateText } from './template-field.tsx';
import { useHttpTexts } from './texts/use-http-texts.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

interface RequestFormProps {
  field: ParameterFieldProps;
  form: CurlForm;
  onChange: (form: CurlForm) => void;
}

/** A request field by field. A curl command that is pasted into any of them replaces it. */
export function RequestForm({ field, form, onChange }: RequestFormProps) {
  const t = useHttpTexts();
  const context: FieldContext = { node_id: field.node_id, onBlur: field.onBlur };
  const change = (part: Partial<CurlForm>) => onChange({ ...form, ...part });
  const changeBody = (body: FormBody) => {
    // GET is the method that nothing was chosen for, and a body sent with it is ignored by most servers.
    const first = form.body.kind === 'none' && body.kind !== 'none';
    change({ body, ...(first && form.method === 'GET' ? { method: 'POST' } : {}) });
  };
  return (
    <div
      className="flex min-w-0 flex-col gap-4"
      onPasteCapture={(event) => {
        const text = event.clipboardData.getData('text/plain');
        if (!isCurlCommand(text)) return;
        event.preventDefault();
        event.stopPropagation();
        field.onChange(text.trim());
      }}
    >
      <Address field={field} form={form} onChange={change} />
      <PairRows
        context={context}
        title={t('query')}
        rows={form.query}
        labels={{ name: (row) => t('query_name', { row }), value: (row) => t('query_value', { row }) }}
        onChange={(query) => change({ query })}
      />
      <HeaderRows context={context} rows={form.headers} onChange={(headers) => change({ headers })} />
      <AuthFields context={context} auth={form.auth} onChange={(auth) => change({ auth })} />
      <BodyFields context={context} body={form.body} onChange={changeBody} />
      <Switch
        label={t('redirects')}
        checked={form.follow_redirects}
        onChange={(follow_redirects) => change({ follow_redirects })}
      />
      <Switch
        label={t('insecure')}
        hint={t('insecure_hint')}
        checked={form.insecure}
        onChange={(insecure) => change({ insecure })}
      />
      <TemplateField
        {...context}
        label={t('timeout')}
        hint={t('timeout_hint')}
        placeholder="300"
        value={form.timeout}
        onChange={(timeout) => change({ timeout })}
      />
    </div>
  );
}

interface AddressProps extends Omit<RequestFormProps, 'onChange'> {
  onChange: (part: Partial<CurlForm>) => void;
}

function Address({ field, form, onChange }: AddressProps) {
  const t = useHttpTexts();
  const { node_id, onBlur } = field;
  const about = useId();
  const methods = METHODS.includes(form.method) ? METHODS : [...METHODS, form.method];
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="grid grid-cols-[auto_minmax(0,1fr)] items-start gap-1.5">
        <Select
          fit
          aria-label={t('method')}
          value={form.method}
          choices={methods.map((value) => ({ value, label: value }))}
          onChange={(method) => onChange({ method })}
        />
        <TemplateText
          node_id={node_id}
          label={t('address')}
          placeholder="https://api.example.com"
          value={form.url}
          described_by={about}
          invalid={field.problem !== undefined}
          onChange={(url) => onChange({ url })}
          onBlur={onBlur}
        />
      </div>
      <div id={about}>
        {field.problem === undefined ? null : <p className="text-sm text-danger">{field.problem}</p>}
        {field.problem === undefined && form.url.trim() === '' ? (
          <p className="text-sm text-warning">{t('no_address')}</p>
        ) : null}
        <p className="text-sm text-faint">{t('address_hint')}</p>
      </div>
    </div>
  );
}

const EMPTY: HeaderRow = { name: '', value: '' };

interface HeaderRowsProps {
  context: FieldContext;
  rows: readonly HeaderRow[];
  onChange: (rows: HeaderRow[]) => void;
}

function HeaderRows({ context, rows, onChange }: HeaderRowsProps) {
  const t = useHttpTexts();
  return (
    <RowList
      title={t('headers')}
      rows={rows}
      empty={EMPTY}
      onChange={onChange}
      draw={(header, index, change) => (
        <NamedValue
          context={context}
          row={header}
          labels={{
            name: t('header_name', { row: index + 1 }),
            value: t('header_value', { row: index + 1 }),
          }}
          onChange={(part) => change({ ...header, ...part })}
        />
      )}
    />
  );
}
