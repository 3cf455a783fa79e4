import { MINUTE_MS } from '@millrace/engine/units';
import { upcoming } from '@millrace/nodes/schedule';
import { useQuery } from '@tanstack/react-query';
import cronstrue from 'cronstrue';
import { useMemo } from 'react';
import { useLocale } from 'use-intl';
import { useDocument } from '../../features/document/context.ts';
import { selectedNode } from '../../features/document/store.ts';
import { useServiceZone } from '../../features/known-values/ambient.ts';
import { toText } from '../../lib/json/to-text.ts';
import { languageIn } from '../../lib/locale.ts';
import { Field } from '../../ui/forms/field.tsx';
import { TextArea } from '../../ui/forms/input.tsx';
import { usePanelTexts } from '../panel/texts/use-panel-texts.ts';
import type { ParameterFieldProps } from './parameter-field-props.ts';

const FIRES = 5;

/** Words of other languages than English, loaded when they are spoken. */
const WORDS: Readonly<Record<string, () => Promise<unknown>>> = {
  de: () => import('cronstrue/locales/de.js'),
};

/** The language in which a schedule can be put into words now. */
function useWords(locale: string): string {
  const { data } = useQuery({
    queryKey: ['schedule-words', locale],
    queryFn: async () => {
      await WORDS[locale]?.();
      return locale;
    },
    enabled: locale in WORDS,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? 'en';
}

/** Each line in words; undefined when one of them cannot be read. */
function describeCron(expressions: string, locale: string): string[] | undefined {
  try {
    return expressions
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => cronstrue.toString(line, { use24HourTimeFormat: true, locale }));
  } catch {
    return undefined;
  }
}

/** Times are those of the schedule's zone; the user's own zone is shown beside them when it differs. */
export function CronField({ node_id, meta, value, problem, onChange, onBlur }: ParameterFieldProps) {
  const t = usePanelTexts('fields');
  const locale = useLocale();
  const language = useWords(languageIn(locale));
  const { data: service_zone } = useServiceZone();
  const data = useDocument(selectedNode)?.data;
  const text = toText(value);
  const words = useMemo(() => describeCron(text, language), [text, language]);
  const fires = useMemo(() => {
    const place = { node_id, time_zone: service_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone };
    return upcoming({ ...data, cronExpression: text }, place, { after_ms: Date.now(), count: FIRES });
  }, [data, text, node_id, service_zone]);
  const unreadable = text !== '' && !words ? t('cron_unreadable') : undefined;
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const shown = (at: number, timeZone: string) =>
    new Date(at).toLocaleString(locale, {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      hour: '2-digit',
      minute: '2-digit',
      ...(at % MINUTE_MS === 0 ? {} : { second: '2-digit' }),
      timeZone,
    });
  return (
    <Field label={meta.title} hint={meta.help} error={problem ?? unreadable}>
      {(control) => (
        <div className="flex flex-col gap-1.5">
          <TextArea
            {...control}
            mono
            rows={Math.max(1, text.split('\n').length)}
            value={text}
            onChange={(event) => onChange(event.target.value)}
            onBlur={onBlur}
          />
          {words && fires ? (
            <div className="rounded-m border border-line bg-sunken px-2.5 py-2 text-sm">
              <p className="font-medium whitespace-pre-line">{words.join('\n')}</p>
              {fires.times.length === 0 ? <p className="mt-1 text-warning">{t('cron_never')}</p> : null}
              <ol className="tabular mt-1 text-soft" aria-label={t('next_fires')}>
                {fires.times.map((at) => (
                  <li key={at}>
                    {shown(at, fires.time_zone)}
                    {shown(at, own) === shown(at, fires.time_zone) ? null : (
                      <span className="text-faint"> · {t('cron_yours', { time: shown(at, own) })}</span>
                    )}
                  </li>
                ))}
              </ol>
              <p className="mt-1 text-faint">{t('cron_zone', { zone: fires.time_zone })}</p>
            </div>
          ) : null}
        </div>
      )}
    </Field>
  );
}
