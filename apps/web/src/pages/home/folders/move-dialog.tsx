import { clsx } from 'clsx';
import { Check, Folder, Home } from 'lucide-react';
import { useState } from 'react';
import { type Folders, folderPath } from '../../../data/folders.ts';
import { bestMatches } from '../../../lib/fuzzy.ts';
import { SearchInput } from '../../../ui/forms/input.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { useHomeTexts } from '../texts/use-home-texts.ts';

interface MoveDialogProps {
  title: string;
  folders: Folders;
  current: string | null;
  /** Folders that cannot be chosen: a folder cannot go into itself. */
  isBlocked?: (id: string) => boolean;
  onMove: (folder_id: string | null) => void;
  onClose: () => void;
}

/** Chooses a folder by keyboard or touch; does what dragging does. */
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
      <SearchInput value={words} onChange={setWords} label={t('find_folder')} autoFocus />
      <ul className="-mx-2 mt-2 max-h-80 overflow-y-auto" aria-label={t('folders')}>
        {shown.map((place) => (
          <li key={place.id ?? 'none'}>
            <button
              type="button"
              className={clsx(
                'flex min-h-8 w-full items-center gap-2 rounded-m px-2 text-left hover:bg-hover pointer-coarse:min-h-11',
                place.id === current && 'font-medium',
              )}
              aria-current={place.id === current || undefined}
              onClick={() => {
                onMove(place.id);
                onClose();
              }}
            >
              {place.id === null ? (
                <Home className="size-4 text-faint" aria-hidden />
              ) : (
                <Folder className="size-4 text-faint" aria-hidden />
              )}
              <span className="grow truncate">{place.path}</span>
              {place.id === current ? <Check className="size-4 text-accent-text" aria-hidden /> : null}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
