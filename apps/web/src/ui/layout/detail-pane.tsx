import { X } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { useTranslations } from 'use-intl';
import { returnFocus } from '../../lib/keyboard/return-focus.ts';
import { useEscape } from '../../lib/keyboard/use-escape.ts';
import { useIsWide } from '../../lib/use-media.ts';
import { IconButton } from '../actions/icon-button.tsx';
import { Sheet } from '../overlays/dialog.tsx';
import { PanelBoundary } from './panel-boundary.tsx';

interface DetailPaneProps {
  title: string;
  /** Names what is shown; a crashed pane tries again with another one. */
  id: string;
  actions?: ReactNode;
  onClose: () => void;
  children: ReactNode;
}

/** Details of a row: beside the list where there is room, over it elsewhere. */
export function DetailPane(props: DetailPaneProps) {
  const { title, actions, onClose, children } = props;
  if (useIsWide()) return <PaneBeside {...props} />;
  return (
    <Sheet open onOpenChange={onClose} title={title} width="large" actions={actions}>
      {children}
    </Sheet>
  );
}

function PaneBeside({ title, id, actions, onClose, children }: DetailPaneProps) {
  const ui = useTranslations('ui');
  useEscape(onClose);
  // The focus goes with the pane that had it, while the row that opened it stays.
  useEffect(() => () => returnFocus(new Event('close')), []);
  return (
    <aside aria-label={title} className="flex w-[min(46vw,640px)] shrink-0 flex-col border-l border-line">
      <div className="flex h-9 shrink-0 items-center justify-between gap-1 border-b border-line pr-2 pl-4">
        <span className="text-sm font-medium text-soft">{title}</span>
        <span className="flex gap-0.5">
          {actions}
          <IconButton label={ui('close')} icon={<X aria-hidden />} onClick={onClose} size="small" />
        </span>
      </div>
      <PanelBoundary resetKeys={[id]}>{children}</PanelBoundary>
    </aside>
  );
}
