import { Folder, Home } from 'lucide-react';
import { useState } from 'react';
import { type Folders, folderPath } from '../../../data/folders.ts';
import { bestMatches } from '../../../lib/fuzzy.ts';
import { ChoiceRow, ChoiceSearch, NOTHING_FOUND } from '../../../ui/forms/choice-search.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { useHomeTexts } from '../texts/use-home-texts.ts';

interface MoveDialogProps {
  title: string;
  folders: Folders;
  /** Undefined for things from several places. */
  current: string | null | undefined;
  /** Folders that cannot be chosen: a folder cannot go into itself. */
  isBlocked?: (id: string) => boolean;
  onMove: (folder_id: string | null) => void;
  onClose: () => void;
}

/** Chooses a folder by keyboard or touch; does what dragging does. Moving to where it is already changes nothing. */
export function MoveDialog({ title, folders, current, isBlocked, onMove, onClose }: MoveDialogProps) {
  const t = useHomeTexts();
  const [words, setWords] = useState('');
  const places = [...folders.values()]
    .filter((folder) => !isBlocked?.(folder.id))
    .map((folder) => ({
      id: folder.id as string | null,
      path: folderPath(folders, folder.id)
        .map((part) => part.name)
        .join(' / '),
    }))
    .sort((a, b) => a.path.localeCompare(b.path, undefined, { numeric: true }));
  const shown = bestMatches([{ id: null, path: t('no_folder') }, ...places], words, (place) => [place.path]);
  return (
    <Dialog open size="small" onOpenChange={onClose} title={title}>
      <ChoiceSearch label={t('folders')} words={words} onWords={setWords} className="-mx-2 max-h-80">
        {shown.length === 0 ? <p className={NOTHING_FOUND}>{t('no_folder_found')}</p> : null}
        {shown.map((place) => (
          <ChoiceRow
            key={place.id ?? 'none'}
            id={place.id ?? 'none'}
            label={place.path}
            icon={
              place.id === null ? (
                <Home className="text-faint" aria-hidden />
              ) : (
                <Folder className="text-faint" aria-hidden />
              )
            }
            chosen={place.id === current}
            onChoose={() => {
              if (place.id !== current) onMove(place.id);
              onClose();
            }}
          />
        ))}
      </ChoiceSearch>
    </Dialog>
  );
}
