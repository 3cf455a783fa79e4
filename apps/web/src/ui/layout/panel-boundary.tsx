import { useQueryClient } from '@tanstack/react-query';
import { RotateCcw, TriangleAlert } from 'lucide-react';
import { Component, type ErrorInfo, type ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../actions/button.tsx';

interface PanelBoundaryProps {
  children: ReactNode;
  /** When one of these changes, a crashed panel tries again. */
  resetKeys?: readonly unknown[];
}

interface State {
  crashed: boolean;
  resetKeys: readonly unknown[];
}

const NO_KEYS: readonly unknown[] = [];

/** Keeps the crash of one panel inside it; the rest of the page stays usable. */
export class PanelBoundary extends Component<PanelBoundaryProps, State> {
  override state: State = { crashed: false, resetKeys: NO_KEYS };

  static getDerivedStateFromError(): Partial<State> {
    return { crashed: true };
  }

  static getDerivedStateFromProps({ resetKeys = NO_KEYS }: PanelBoundaryProps, state: State): State | null {
    const same =
      resetKeys.length === state.resetKeys.length &&
      resetKeys.every((key, index) => Object.is(key, state.resetKeys[index]));
    return same ? null : { crashed: false, resetKeys };
  }

  override componentDidCatch(error: Error, info: ErrorInfo): void {
    reportError(Object.assign(error, { componentStack: info.componentStack }));
  }

  override render(): ReactNode {
    if (!this.state.crashed) return this.props.children;
    return <Crashed onRetry={() => this.setState({ crashed: false })} />;
  }
}

function Crashed({ onRetry }: { onRetry: () => void }) {
  const t = useTranslations('ui');
  const client = useQueryClient();
  const retry = () => {
    // The panel may have been broken by an answer that it was given; the panel is gone, so what it asked for is unused
    // now.
    client.removeQueries({ type: 'inactive' });
    onRetry();
  };
  return (
    <div
      role="alert"
      className="m-4 flex flex-col items-start gap-2 rounded-l border border-danger-line bg-danger-tint p-4"
    >
      <p className="flex items-center gap-2 font-medium text-danger">
        <TriangleAlert className="size-4" aria-hidden />
        {t('panel_crashed')}
      </p>
      <p className="text-base text-text">{t('panel_crashed_hint')}</p>
      <Button size="small" onClick={retry}>
        <RotateCcw aria-hidden />
        {t('try_again')}
      </Button>
    </div>
  );
}
