import type { DataColumn, DataRow } from '@millrace/contracts';
import { clsx } from 'clsx';
import { cellText } from './cell-text.ts';
import { useDataTablesTexts } from './texts/use-data-tables-texts.ts';
import type { GridKeys, Place } from './use-grid-keys.ts';

interface GridCellProps {
  column: DataColumn;
  value: DataRow['data'][string] | undefined;
  place: Place;
  keys: GridKeys;
}

/** Shows a value; the one that is edited is an input. */
export function GridCell({ column, value, place, keys }: GridCellProps) {
  const t = useDataTablesTexts();
  const isAt = keys.at.row === place.row && keys.at.column === place.column;
  const isEdited = isAt && keys.draft !== undefined;
  const text = cellText(value);
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the grid handles the keys of all cells
    <div
      role="gridcell"
      tabIndex={isAt && !isEdited ? 0 : -1}
      data-cell={`${place.row}-${place.column}`}
      className={clsx(
        'flex min-w-0 items-center border-l border-line text-base focus:outline-2 focus:outline-offset-[-2px] focus:outline-focus',
        isEdited ? 'p-0' : 'px-2',
        column.type === 'number' && !isEdited && 'tabular justify-end',
        (column.type === 'json' || column.type === 'date') && 'font-mono text-sm',
      )}
      onClick={() => (isEdited ? undefined : keys.go(place))}
      onDoubleClick={() => keys.edit(place)}
    >
      {isEdited ? (
        <input
          autoFocus
          aria-label={t('cell_of', { column: column.name, number: place.row + 1 })}
          className="size-full min-w-0 bg-surface px-2 text-text outline-2 outline-offset-[-2px] outline-focus"
          value={keys.draft}
          onChange={(event) => keys.setDraft(event.target.value)}
          onBlur={keys.leave}
        />
      ) : (
        <span className={clsx('truncate', column.type === 'boolean' && 'text-soft')}>{text}</span>
      )}
    </div>
  );
}
