import { Activity, ListTree, ShieldCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { Mark } from '../../ui/display/mark.tsx';
import { useTitle } from '../../ui/layout/use-title.ts';
import { Stream } from './stream.tsx';
import { useAuthTexts } from './texts/use-auth-texts.ts';

/** Form at the left, what the product promises at the right; the form alone on phones. */
export function AuthFrame({
  title,
  hint,
  children,
}: {
  title: string;
  hint?: ReactNode;
  children: ReactNode;
}) {
  const t = useAuthTexts();
  useTitle(title);
  const points = [
    { icon: ShieldCheck, text: t('point_durable') },
    { icon: Activity, text: t('point_once') },
    { icon: ListTree, text: t('point_clear') },
  ];
  return (
    <div className="grid h-full grid-rows-[minmax(0,1fr)] bg-surface lg:grid-cols-[minmax(440px,0.8fr)_1fr]">
      <main className="flex min-h-0 flex-col overflow-y-auto px-6 py-8 sm:px-12">
        <div className="flex items-center gap-2.5">
          <Mark className="size-7" />
          <span className="text-xl font-semibold tracking-tight">Millrace</span>
        </div>
        <div className="mx-auto my-auto w-full max-w-[360px] py-10">
          <h1 className="text-2xl tracking-tight">{title}</h1>
          {hint ? <p className="mt-1 text-base text-soft">{hint}</p> : null}
          <div className="mt-6">{children}</div>
        </div>
      </main>
      <aside className="relative hidden overflow-hidden border-l border-line bg-canvas lg:flex lg:flex-col lg:justify-end lg:p-12">
        <Stream />
        <p className="relative max-w-md text-2xl font-semibold tracking-tight text-balance">{t('tagline')}</p>
        <ul className="relative mt-5 flex max-w-md flex-col gap-2.5">
          {points.map(({ icon: Icon, text }) => (
            <li key={text} className="flex gap-2.5 text-base text-soft">
              <Icon className="mt-0.5 size-4 shrink-0 text-accent-text" aria-hidden />
              {text}
            </li>
          ))}
        </ul>
      </aside>
    </div>
  );
}
