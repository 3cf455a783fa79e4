import { Link, useNavigate } from '@tanstack/react-router';
import { FileX } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useMe } from '../../data/session.ts';
import { useCreateWorkflow } from '../../data/workflows.ts';
import {
  type CopyPlace,
  dropUnsavedCopy,
  readUnsavedCopy,
  type UnsavedCopy,
} from '../../editor/session/unsaved-copy.ts';
import { useEditorTexts } from '../../editor/texts/use-editor-texts.ts';
import { Button, buttonStyle } from '../../ui/actions/button.tsx';
import { EmptyState } from '../../ui/display/empty-state.tsx';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { NotFoundPage } from '../errors/not-found-page.tsx';

/** Undefined before it was looked for: an editor that closes writes its last changes after the next page was rendered. */
function useLeftBehind({ user_id, workflow_id }: CopyPlace): UnsavedCopy | null | undefined {
  const [copy, setCopy] = useState<UnsavedCopy | null>();
  useEffect(() => setCopy(readUnsavedCopy({ user_id, workflow_id }) ?? null), [user_id, workflow_id]);
  return copy;
}

interface GonePageProps {
  id: string;
  /** Of a workflow that was on screen. */
  name: string | undefined;
}

/** In place of a workflow that was deleted or is no longer shared; what was not saved there can be kept. */
export function GonePage({ id, name }: GonePageProps) {
  const t = useEditorTexts('gone');
  const place = { user_id: useMe().id, workflow_id: id };
  const copy = useLeftBehind(place);
  const create = useCreateWorkflow();
  const navigate = useNavigate();
  if (copy === undefined) return null;
  if (copy === null && name === undefined) return <NotFoundPage />;
  const save = (left: UnsavedCopy) =>
    create.mutate(
      { name: name === undefined ? t('nameless') : t('copy_name', { name }), ...left.document },
      {
        onSuccess: (made) => {
          dropUnsavedCopy(place);
          toast.done(t('saved'));
          void navigate({ to: '/workflows/$id', params: { id: made.id } });
        },
        onError: showFailure,
      },
    );
  return (
    <EmptyState
      icon={<FileX aria-hidden />}
      title={t('title')}
      actions={
        <>
          {copy ? (
            <Button tone="primary" busy={create.isPending} onClick={() => save(copy)}>
              {t('save_copy')}
            </Button>
          ) : null}
          <Link to="/" className={buttonStyle(copy ? {} : { tone: 'primary' })}>
            {t('home')}
          </Link>
        </>
      }
    >
      <p>{t('hint')}</p>
      {copy ? <p className="mt-2">{t('unsaved')}</p> : null}
    </EmptyState>
  );
}
