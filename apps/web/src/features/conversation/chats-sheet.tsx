import { type Chat, renameChat } from '@millrace/contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { Bot, LoaderCircle, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { chatListQuery, useDeleteChat, useRenameChat } from '../../data/chats.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { EmptyState, LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Ago } from '../../ui/display/time.tsx';
import { SearchInput } from '../../ui/forms/input.tsx';
import { NameField } from '../../ui/forms/name-fields.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { Sheet } from '../../ui/overlays/dialog.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { showFailure } from '../../ui/overlays/toast.ts';
import { useConversationTexts } from './texts/use-conversation-texts.ts';

interface ChatsSheetProps {
  /** The one on screen. */
  current: string | undefined;
  /** Only chats about it; absent: those of the dashboard. */
  workflow_id?: string;
  onShow: (chat_id: string) => void;
  onDeleted: (chat_id: string) => void;
  onClose: () => void;
}

/** Earlier chats, those used last first. */
export function ChatsSheet({ current, workflow_id, onShow, onDeleted, onClose }: ChatsSheetProps) {
  const t = useConversationTexts();
  const ui = useTranslations('ui');
  const [search, setSearch] = useState('');
  const [renamed, setRenamed] = useState<Chat>();
  const list = useInfiniteQuery(chatListQuery({ workflow_id, search: search.trim() || undefined }));
  const remove = useDeleteChat();
  const found = list.data?.pages.flatMap(({ items }) => items);
  const removeChat = async ({ id }: Chat) => {
    const sure = await confirm({ title: t('delete_title'), body: t('delete_body'), action: ui('delete') });
    if (!sure) return;
    await remove.mutateAsync(id).then(() => onDeleted(id), showFailure);
  };
  return (
    <Sheet open onOpenChange={onClose} side="left" title={t('chats')}>
      <div className="flex flex-col gap-3 p-3">
        <SearchInput label={t('search_chats')} value={search} onChange={setSearch} />
        {list.isPending ? <SkeletonRows rows={6} /> : null}
        {list.isError ? <LoadFailed error={list.error} onRetry={() => void list.refetch()} /> : null}
        {found?.length === 0 ? (
          <EmptyState
            icon={<Bot aria-hidden />}
            title={t(search.trim() === '' ? 'no_chats' : 'no_chats_found')}
          >
            {t(search.trim() === '' ? 'no_chats_hint' : 'no_chats_found_hint')}
          </EmptyState>
        ) : null}
        <ul className="flex flex-col gap-1">
          {found?.map((chat) => {
            const title = chat.title ?? t('new_chat');
            return (
              <li key={chat.id} className="flex items-center gap-1">
                <button
                  type="button"
                  aria-current={chat.id === current ? 'true' : undefined}
                  className={clsx(
                    'min-w-0 grow rounded-m px-2 py-1.5 text-left hover:bg-sunken',
                    chat.id === current && 'bg-accent-tint',
                  )}
                  onClick={() => onShow(chat.id)}
                >
                  <span className="block truncate">{title}</span>
                  <span className="flex items-center gap-1.5 text-sm text-soft">
                    {chat.is_answering ? (
                      <>
                        <LoaderCircle className="size-3.5 animate-spin" aria-hidden />
                        {t('thinking')}
                      </>
                    ) : (
                      <Ago at={chat.updated_at} />
                    )}
                  </span>
                </button>
                <IconButton
                  size="small"
                  label={t('rename_chat', { name: title })}
                  icon={<Pencil aria-hidden />}
                  onClick={() => setRenamed(chat)}
                />
                <IconButton
                  size="small"
                  label={t('delete_chat', { name: title })}
                  icon={<Trash2 aria-hidden />}
                  onClick={() => void removeChat(chat)}
                />
              </li>
            );
          })}
        </ul>
        {list.hasNextPage ? (
          <Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {t('more_chats')}
          </Button>
        ) : null}
      </div>
      {renamed ? <RenameDialog chat={renamed} onClose={() => setRenamed(undefined)} /> : null}
    </Sheet>
  );
}

function RenameDialog({ chat, onClose }: { chat: Chat; onClose: () => void }) {
  const t = useConversationTexts();
  const ui = useTranslations('ui');
  const rename = useRenameChat();
  const form = useForm({
    initial: { name: chat.title ?? '' },
    schema: renameChat.body,
    toBody: ({ name }) => ({ title: name }),
    submit: async ({ name }) => {
      await rename.mutateAsync({ params: { id: chat.id }, body: { title: name } });
      onClose();
    },
  });
  return (
    <FormDialog form={form} size="small" title={t('rename_title')} action={ui('save')} onClose={onClose}>
      <NameField form={{ ...form, errors: { name: form.errors['title'] } }} />
    </FormDialog>
  );
}
