/** @jsxImportSource preact */
import type { PortalConversationItem } from '@millrace/contracts';
import { useEffect, useRef, useState } from 'preact/hooks';
import { addRegion } from '../../lib/locale.ts';
import type { Opened } from '../conversation/conversation.ts';
import { toMessages } from '../conversation/stored.ts';
import { Icon } from '../icon.tsx';
import { problemText } from '../page/problem-text.ts';
import { useLoaded } from '../page/use-loaded.ts';
import { type Door, deleteConversation, listConversations, readConversation } from '../portal/requests.ts';
import { locale, t } from '../texts.ts';

interface PastProps {
  door: Door;
  /** The one that is shown on the page. */
  current: string | undefined;
  onOpen: (opened: Opened) => void;
  onDeleted: (id: string) => void;
  onClose: () => void;
}

const at = new Intl.DateTimeFormat(addRegion(locale, navigator.languages), {
  dateStyle: 'medium',
  timeStyle: 'short',
});

/** The visitor's conversations, to open or to delete; the list is loaded each time it is opened. */
export function PastConversations({ door, current, onOpen, onDeleted, onClose }: PastProps) {
  const dialogRef = useRef<HTMLDialogElement>(null);
  const { value: list, error, reload } = useLoaded(() => listConversations(door));
  const [deleted, setDeleted] = useState<readonly string[]>([]);
  const [refusal, setRefusal] = useState('');
  const items = list?.items.filter(({ id }) => !deleted.includes(id));
  const attempt = (work: Promise<void>) =>
    work.then(
      () => setRefusal(''),
      (failure: unknown) => setRefusal(problemText(failure)),
    );
  useEffect(() => dialogRef.current?.showModal(), []);
  const close = () => dialogRef.current?.close();
  const show = (id: string) =>
    attempt(
      readConversation(door, id).then(({ turns }) => {
        close();
        onOpen({ id, messages: toMessages(turns) });
      }),
    );
  const remove = (id: string) =>
    attempt(
      deleteConversation(door, id).then(() => {
        setDeleted((before) => [...before, id]);
        dialogRef.current?.focus();
        onDeleted(id);
      }),
    );
  return (
    <dialog ref={dialogRef} class="past" aria-labelledby="past-title" tabIndex={-1} onClose={onClose}>
      <header>
        <h2 id="past-title">{t('past_chats')}</h2>
        <button type="button" class="icon-button" aria-label={t('close')} title={t('close')} onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <p role="alert" class="notice">
        {error === undefined ? refusal : problemText(error)}
      </p>
      {error === undefined ? null : (
        <button type="button" class="button" onClick={reload}>
          {t('retry')}
        </button>
      )}
      {items || error !== undefined ? null : (
        <div class="bone is-row" role="status" aria-label={t('loading')} />
      )}
      {items?.length === 0 ? <p class="note">{t('no_past_chats')}</p> : null}
      <ul>
        {items?.map((item) => (
          <Entry
            key={item.id}
            item={item}
            isCurrent={item.id === current}
            onOpen={() => void show(item.id)}
            onDelete={() => void remove(item.id)}
          />
        ))}
      </ul>
    </dialog>
  );
}

interface EntryProps {
  item: PortalConversationItem;
  isCurrent: boolean;
  onOpen: () => void;
  onDelete: () => void;
}

function Entry({ item, isCurrent, onOpen, onDelete }: EntryProps) {
  const [asks, setAsks] = useState(false);
  const title = item.title || t('start');
  const label = t(asks ? 'delete_now' : 'delete_chat', { title });
  return (
    <li>
      <button type="button" class="entry" aria-current={isCurrent ? 'true' : undefined} onClick={onOpen}>
        <span dir="auto">{title}</span>
        <time dateTime={item.updated_at}>{at.format(new Date(item.updated_at))}</time>
      </button>
      <button
        type="button"
        class={asks ? 'button' : 'icon-button'}
        aria-label={label}
        title={label}
        onBlur={() => setAsks(false)}
        onClick={() => (asks ? onDelete() : setAsks(true))}
      >
        <Icon name="delete" />
        {asks ? t('delete') : null}
      </button>
    </li>
  );
}
