import { CircleCheck, CircleHelp, TriangleAlert } from 'lucide-react';
import { useSandbox } from '../../data/sandbox.ts';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Section } from '../../ui/layout/page.tsx';
import { useSettingsTexts } from './texts/use-settings-texts.ts';

/** Whether code of users can be run here, and what is missing otherwise. */
export function SandboxSettings() {
  const t = useSettingsTexts('sandbox');
  const { data, error, isPending, refetch } = useSandbox();
  return (
    <Section title={t('title')} hint={t('hint')}>
      {isPending ? <SkeletonRows rows={1} /> : null}
      {error ? <LoadFailed error={error} onRetry={() => void refetch()} /> : null}
      {data ? (
        <div role="status" className="flex flex-col gap-2">
          {data.status === 'ready' ? (
            <p className="flex items-center gap-2 text-success">
              <CircleCheck className="size-4 shrink-0" aria-hidden />
              {t('ready', { version: data.engine ?? '' })}
            </p>
          ) : null}
          {data.status === 'unknown' ? (
            <p className="flex items-center gap-2 text-soft">
              <CircleHelp className="size-4 shrink-0" aria-hidden />
              {t('unknown')}
            </p>
          ) : null}
          {data.problem ? <Problem title={t('unavailable')} text={data.problem} /> : null}
          {data.browser_problem ? <Problem title={t('no_browser')} text={data.browser_problem} /> : null}
          {data.python_tools === 'subprocess' ? (
            <p className="text-sm text-warning">{t('subprocess')}</p>
          ) : null}
        </div>
      ) : null}
    </Section>
  );
}

function Problem({ title, text }: { title: string; text: string }) {
  return (
    <div className="rounded-m border border-warning-line bg-warning-tint px-3 py-2">
      <p className="flex items-center gap-2 font-medium text-warning">
        <TriangleAlert className="size-4 shrink-0" aria-hidden />
        {title}
      </p>
      <p className="mt-1 break-words">{text}</p>
    </div>
  );
}
