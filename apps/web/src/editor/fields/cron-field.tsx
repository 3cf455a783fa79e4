import { useQuery } from '@tanstack/react-query';
import { Cron } from 'croner';
import cronstrue from 'cronstrue';
import { useMemo } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { Field } from '../../ui/forms/field.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { timeZoneQuery } from './expression/ambient.ts';
import type { ParameterFieldProps } from './parameter-field-props.ts';
import { textOf } from './rows.ts';

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

/** The schedule in words and its next times; undefined when the expression cannot be read. */
function readSchedule(
  expression: string,
  { locale, time_zone }: { locale: string; time_zone: string | undefined },
): { words: string; next: Date[] } | undefined {
  try {
    return {
      words: cronstrue.toString(expression, { use24HourTimeFormat: true, locale }),
      next: new Cron(expression, { mode: '5-part', ...(time_zone ? { timezone: time_zone } : {}) }).nextRuns(
        FIRES,
      ),
    };
  } catch {
    return undefined;
  }
}

/** Times are those of the server's zone, in which schedules fire; the own zone stands beside them when it differs. */
export function CronField({ meta, value, problem, onChange, onBlur }: ParameterFieldProps) {
  const t = useTranslations('editor.fields');
  const locale = useLocale();
  const words = useWords(locale);
  const { data: time_zone } = useQuery(timeZoneQuery);
  const text = textOf(value);
  const schedule = useMemo(() => readSchedule(text, { locale: words, time_zone }), [text, words, time_zone]);
  const unreadable = text !== '' && !schedule ? t('cron_unreadable') : undefined;
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const shown = (at: Date, timeZone: string | undefined) =>
    at.toLocaleString(locale, {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      hour: '2-digit',
      minute: '2-digit',
      ...(timeZone ? { timeZone } : {}),
    });
  const differs = (at: Date) => shown(at, time_zone) !== shown(at, own);
  return (
    <Field label={meta.title} hint={meta.help} error={problem ?? unreadable}>
      {(control) => (
        <div className="flex flex-col gap-1.5">
          <Input
            {...control}
            mono
            value={text}
            onChange={(event) => onChange(event.target.value)}
            onBlur={onBlur}
          />
          {schedule ? (
            <div className="rounded-m border border-line bg-sunken px-2.5 py-2 text-sm">
              <p className="font-medium">{schedule.words}</p>
              {schedule.next.length === 0 ? <p className="mt-1 text-warning">{t('cron_never')}</p> : null}
              <ol className="tabular mt-1 text-soft" aria-label={t('next_fires')}>
                {schedule.next.map((at) => (
                  <li key={at.getTime()}>
                    {shown(at, time_zone)}
                    {differs(at) ? (
                      <span className="text-faint"> · {t('cron_yours', { time: shown(at, own) })}</span>
                    ) : null}
                  </li>
                ))}
              </ol>
              {time_zone ? <p className="mt-1 text-faint">{t('cron_zone', { zone: time_zone })}</p> : null}
            </div>
          ) : null}
        </div>
      )}
    </Field>
  );
}
