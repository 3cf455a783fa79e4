/** @jsxImportSource preact */
import type { PortalInfo } from '@millrace/contracts';
import { useEffect, useState } from 'preact/hooks';
import {
  browserStore,
  forgetConversation,
  forgetSession,
  readSession,
  type Session,
  writeSession,
} from '../conversation/storage.ts';
import { ApiError, detailOf, readInfo } from '../portal/requests.ts';
import { Room } from '../room/room.tsx';
import { t, timeText } from '../texts.ts';
import { LoginForm } from './login-form.tsx';
import { Notice } from './notice.tsx';
import { Shell } from './shell.tsx';

/** Loads what is known about the portal; `first` was asked for before the page was drawn. */
function useInfo(slug: string, first: Promise<PortalInfo>) {
  const [asked, setAsked] = useState(first);
  const [state, setState] = useState<{ info?: PortalInfo; error?: unknown }>({});
  useEffect(() => {
    let isCurrent = true;
    setState({});
    asked.then(
      (info) => isCurrent && setState({ info }),
      (error: unknown) => isCurrent && setState({ error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [asked]);
  return { ...state, reload: () => setAsked(readInfo(slug)) };
}

function problemText(error: unknown): string {
  if (!(error instanceof ApiError)) return t('unreachable');
  if (error.status === 429) return t('too_many_requests', { time: timeText(error.wait_seconds ?? 60) });
  return detailOf(error) || t('unreachable');
}

export function ChatPage({ slug, first }: { slug: string; first: Promise<PortalInfo> }) {
  const store = browserStore();
  const { info, error, reload } = useInfo(slug, first);
  const [session, setSession] = useState(() => readSession(store, slug, Date.now()));
  const [isOver, setOver] = useState(false);
  if (error instanceof ApiError && error.status === 404)
    return <Notice title={t('not_found_title')} text={t('not_found_hint')} />;
  if (error !== undefined)
    return <Notice title={t('load_failed_title')} text={problemText(error)} onRetry={reload} />;
  if (!info) return <Shell />;
  if (info.requires_auth && !session) {
    const enter = (opened: Session) => {
      writeSession(store, slug, opened);
      setSession(opened);
    };
    return <LoginForm slug={slug} title={info.workflow_name} isOver={isOver} onSession={enter} />;
  }
  const signOut = (reason: 'asked' | 'over') => {
    forgetSession(store, slug);
    // The next person at this device must not read along.
    if (reason === 'asked') forgetConversation(store, slug);
    setOver(reason === 'over');
    setSession(undefined);
    // A public portal that has got users since answers 401 for the first time.
    if (!info.requires_auth) reload();
  };
  const known = info.requires_auth ? session : undefined;
  return <Room key={known?.token} slug={slug} info={info} session={known} onSignOut={signOut} />;
}
