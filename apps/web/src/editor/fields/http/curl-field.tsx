import type { FormReading, TextOnly } from '@millrace/nodes/curl-form';
import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { toText } from '../../../lib/json/to-text.ts';
import { Segmented } from '../../../ui/forms/toggles.tsx';
import type { ParameterFieldProps } from '../parameter-field-props.ts';
import { CurlOutline } from './curl-outline.tsx';
import { RequestForm } from './request-form.tsx';
import { useHttpTexts } from './texts/use-http-texts.ts';
import { useCurlForm } from './use-curl-form.ts';

type View = 'form' | 'text';

const chooseView = (reading: FormReading): View => ('form' in reading ? 'form' : 'text');

interface CurlFieldProps extends ParameterFieldProps {
  /** The field of the text. */
  children: ReactNode;
}

/** A curl command as a form or as its text; a text that no form can show says why. */
export function CurlField({ children, ...props }: CurlFieldProps) {
  const t = useHttpTexts();
  const text = toText(props.value);
  const { reading, change } = useCurlForm(text, props.onChange);
  const [view, setView] = useState<View>(() => chooseView(reading));
  const shown = view === 'form' ? chooseView(reading) : view;
  // A text that becomes readable while it is typed must not turn into a form under the cursor.
  useEffect(() => setView(shown), [shown]);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div>
        <Segmented<View>
          label={t('view')}
          size="small"
          value={shown}
          choices={[
            { value: 'form', label: t('as_form') },
            { value: 'text', label: t('as_text') },
          ]}
          onChange={(next) => setView(next === 'form' ? chooseView(reading) : next)}
        />
      </div>
      {shown === 'form' && 'form' in reading ? (
        <RequestForm field={props} form={reading.form} onChange={change} />
      ) : (
        <div className="flex flex-col gap-2">
          {'reason' in reading ? <WhyText reason={reading.reason} /> : null}
          {children}
          <CurlOutline node_id={props.node_id} text={text} />
        </div>
      )}
    </div>
  );
}

function WhyText({ reason }: { reason: TextOnly }) {
  const t = useHttpTexts();
  const words = (): string => {
    switch (reason.kind) {
      case 'unreadable':
        return t('text_only.unreadable', { message: reason.message });
      case 'options':
        return t('text_only.options', { options: reason.options.join(' ') });
      case 'twice':
        return t('text_only.twice', { what: reason.what });
      default:
        return t(`text_only.${reason.kind}`);
    }
  };
  return (
    <p
      role="status"
      className="flex items-start gap-1.5 rounded-m border border-warning-line bg-warning-tint px-2.5 py-1.5 text-sm"
    >
      <TriangleAlert className="mt-0.5 size-3.5 shrink-0 text-warning" aria-hidden />
      <span className="min-w-0 break-words">
        {words()} {t('text_kept')}
      </span>
    </p>
  );
}
