import type { Json } from '@millrace/engine';
import { useState } from 'react';
import { useDocument } from '../../features/document/context.ts';
import { Button } from '../../ui/actions/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { buildPlaceKey, type Conflict, resolve, type Side, usualSide } from '../document/merge.ts';
import { useEditorTexts } from '../texts/use-editor-texts.ts';
import type { SaveConflict, Saving } from './saving.ts';
import { toDocument } from './server-state.ts';

const SIDES: readonly Side[] = ['mine', 'theirs'];
const LONGEST = 600;

/** The same place was changed here and elsewhere: shows both and saves what is chosen for each. */
export function ConflictDialog({ saving }: { saving: Saving }) {
  const { conflict } = saving;
  return conflict ? <OpenDialog saving={saving} conflict={conflict} /> : null;
}

/** Who saved: the same person somewhere else, or another one. */
type Who = 'own' | 'other';

interface OpenDialogProps {
  saving: Saving;
  conflict: SaveConflict;
}

function OpenDialog({ saving, conflict }: OpenDialogProps) {
  const mine = useDocument((state) => state.document);
  const t = useEditorTexts('conflict');
  const who: Who = conflict.is_own ? 'own' : 'other';
  const [chosen, setChosen] = useState<ReadonlyMap<string, Side>>(new Map());
  const { conflicts, merged } = conflict;
  const all = (side: Side) => new Map(conflicts.map((item) => [buildPlaceKey(item), side]));
  const save = (sides: ReadonlyMap<string, Side>) =>
    void saving.resolve(resolve(merged, { mine, theirs: toDocument(conflict.theirs) }, conflicts, sides));
  return (
    <Dialog
      open
      onOpenChange={(open) => (open ? undefined : saving.dismiss())}
      title={t(`${who}.title`)}
      description={t('description')}
      size="large"
      footer={
        <>
          <Button onClick={() => save(all('theirs'))}>{t(`${who}.take_theirs`)}</Button>
          <Button onClick={() => save(all('mine'))}>{t(`${who}.take_mine`)}</Button>
          <Button tone="primary" onClick={() => save(chosen)}>
            {t('merge')}
          </Button>
        </>
      }
    >
      <table className="w-full table-fixed text-sm">
        <thead>
          <tr className="border-b border-line text-left text-faint">
            <th className="w-[26%] py-1 pr-3 font-medium">{t('place')}</th>
            <th className="py-1 pr-3 font-medium">{t(`${who}.mine`)}</th>
            <th className="py-1 font-medium">{t(`${who}.theirs`)}</th>
          </tr>
        </thead>
        <tbody>
          {conflicts.map((item) => (
            <Row
              key={buildPlaceKey(item)}
              conflict={item}
              who={who}
              side={chosen.get(buildPlaceKey(item)) ?? usualSide(item)}
              onChoose={(side) => setChosen(new Map(chosen).set(buildPlaceKey(item), side))}
            />
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}

interface RowProps {
  conflict: Conflict;
  who: Who;
  side: Side;
  onChoose: (side: Side) => void;
}

function Row({ conflict, who, side, onChoose }: RowProps) {
  const t = useEditorTexts('conflict');
  const place = conflict.field === null ? conflict.label : `${conflict.label}.${conflict.field}`;
  const shown = (value: Json | undefined): string => {
    if (value === undefined) return conflict.field === null ? t('removed') : '—';
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
    return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  };
  return (
    <tr className="border-b border-line align-top">
      <th scope="row" className="py-2 pr-3 text-left font-medium break-words">
        {place}
      </th>
      {SIDES.map((name) => (
        <td key={name} className="py-1.5 pr-1.5 last:pr-0">
          <label className="flex cursor-pointer items-start gap-2 rounded-m border border-line p-2 hover:bg-hover has-checked:border-accent has-checked:bg-accent-tint">
            <input
              type="radio"
              name={buildPlaceKey(conflict)}
              aria-label={t('use_of', { side: t(`${who}.${name}`), place })}
              checked={side === name}
              onChange={() => onChoose(name)}
              className="mt-0.5 accent-[var(--accent)]"
            />
            <span className="max-h-40 min-w-0 grow overflow-auto font-mono break-words whitespace-pre-wrap">
              {shown(conflict[name])}
            </span>
          </label>
        </td>
      ))}
    </tr>
  );
}
