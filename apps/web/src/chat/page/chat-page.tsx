/** @jsxImportSource preact */
import type { PortalInfo } from '@millrace/contracts';
import { useLayoutEffect, useState } from 'preact/hooks';
import { showColors } from '../appearance.ts';
import {
  browserStore,
  forgetSession,
  forgetVisitor,
  readSession,
  type Session,
  writeSession,
} from '../conversation/storage.ts';
import { ApiError, readInfo } from '../portal/requests.ts';
import { t } from '../texts.ts';
import { LoginForm } from './login-form.tsx';
import { Notice } from './notice.tsx';
import { problemText } from './problem-text.ts';
import { RoomPage } from './room-page.tsx';
import { Shell } from './shell.tsx';
import { useLoaded } from './use-loaded.ts';

export function ChatPage({ slug, first }: { slug: string; first: Promise<PortalInfo> }) {
  const store = browserStore();
  const { value: info, error, reload } = useLoaded(() => readInfo(slug), first);
  const [session, setSession] = useState(() => readSession(store, slug, Date.now()));
  const [isOver, setOver] = useState(false);
  useLayoutEffect(() => {
    if (info) showColors(info);
  }, [info]);
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
    if (reason === 'asked') forgetVisitor(store, slug);
    setOver(reason === 'over');
    setSession(undefined);
    // A public portal that has got users since answers 401 for the first time.
    if (!info.requires_auth) reload();
  };
  const known = info.requires_auth ? session : undefined;
  return <RoomPage key={known?.token} slug={slug} info={info} session={known} onSignOut={signOut} />;
}
