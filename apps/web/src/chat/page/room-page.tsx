/** @jsxImportSource preact */
import type { PortalInfo } from '@millrace/contracts';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Opened } from '../conversation/conversation.ts';
import { browserStore, readPlace, readVisitorToken, type Session } from '../conversation/storage.ts';
import { toMessages, withUnsent } from '../conversation/stored.ts';
import { ApiError, type Door, readConversation } from '../portal/requests.ts';
import { Room } from '../room/room.tsx';
import { t } from '../texts.ts';
import { Notice } from './notice.tsx';
import { problemText } from './problem-text.ts';
import { Shell } from './shell.tsx';
import { useLoaded } from './use-loaded.ts';

interface RoomPageProps {
  slug: string;
  info: PortalInfo;
  session: Session | undefined;
  onSignOut: (reason: 'asked' | 'over') => void;
}

/** Where the visitor was: the stored conversation, and what could not be sent then. */
async function openLast(door: Door, username: string): Promise<Opened> {
  const { conversation_id, unsent } = readPlace(browserStore(), door.slug, username);
  if (conversation_id === undefined) return { messages: withUnsent([], unsent) };
  try {
    const { id, turns } = await readConversation(door, conversation_id);
    return { id, messages: withUnsent(toMessages(turns), unsent) };
  } catch (error) {
    // It was deleted, or kept long enough.
    if (error instanceof ApiError && error.status === 404) return { messages: withUnsent([], unsent) };
    throw error;
  }
}

export function RoomPage({ slug, info, session, onSignOut }: RoomPageProps) {
  const username = session?.username ?? '';
  const [door] = useState<Door>(() => ({
    slug,
    token: session?.token,
    visitor_token: session ? undefined : readVisitorToken(browserStore(), slug),
  }));
  const { value: opened, error, reload } = useLoaded(() => openLast(door, username));
  const isOver = error instanceof ApiError && error.status === 401;
  const signOutRef = useRef(onSignOut);
  signOutRef.current = onSignOut;
  useEffect(() => {
    if (isOver) signOutRef.current('over');
  }, [isOver]);
  if (error !== undefined && !isOver)
    return <Notice title={t('load_failed_title')} text={problemText(error)} onRetry={reload} />;
  if (!opened) return <Shell />;
  return <Room door={door} info={info} username={session?.username} opened={opened} onSignOut={onSignOut} />;
}
