import { CircleAlert, CircleCheck, Info } from 'lucide-react';
import { useEffect } from 'react';
import { toast as sonner, Toaster } from 'sonner';
import { useTranslations } from 'use-intl';
import { connectToastHost, type Toast } from './toast.ts';

const SHOW = { done: sonner.success, note: sonner.info, failed: sonner.error };

function present({ kind, text, undo, action, detail }: Toast): void {
  const button = undo ?? action;
  SHOW[kind](text, {
    duration: button || kind === 'failed' ? 9000 : 5000,
    ...(detail ? { description: detail } : {}),
    ...(button ? { action: { label: button.label, onClick: button.run } } : {}),
  });
}

/** Shows toasts. Load it lazily: nothing needs it for the first paint. */
export default function ToastHost() {
  const t = useTranslations('ui');
  useEffect(() => connectToastHost(present), []);
  return (
    <Toaster
      position="bottom-right"
      gap={8}
      offset={16}
      mobileOffset={{ bottom: 'calc(64px + env(safe-area-inset-bottom))', left: 12, right: 12 }}
      containerAriaLabel={t('notifications')}
      icons={{
        success: <CircleCheck className="size-4 text-success" aria-hidden />,
        error: <CircleAlert className="size-4 text-danger" aria-hidden />,
        info: <Info className="size-4 text-info" aria-hidden />,
      }}
      toastOptions={{
        unstyled: true,
        classNames: {
          toast:
            'flex w-[min(400px,calc(100vw-24px))] items-center gap-2.5 rounded-l border border-line-strong bg-raised px-3.5 py-2.5 font-sans text-base text-text shadow-m',
          content: 'min-w-0 grow',
          title: 'font-medium',
          description: 'text-sm text-soft break-words',
          actionButton:
            'shrink-0 rounded-m border border-line-strong bg-surface px-2.5 py-1 text-sm font-medium text-text hover:bg-hover',
        },
      }}
    />
  );
}
