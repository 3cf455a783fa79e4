import { Checkbox } from '../forms/toggles.tsx';
import type { Column } from './data-table.tsx';
import type { Selection } from './use-selection.ts';

interface SelectColumnOptions<Row> extends Selection {
  /** Name of the checkbox that selects all rows. */
  header: string;
  getId: (row: Row) => string;
  /** Name of the checkbox; without one the row cannot be selected. */
  getLabel: (row: Row) => string | undefined;
}

/** The ids from the one ticked last to this one, which comes last; the id alone when that one is not shown. */
export function listFromLast(
  ids: readonly string[],
  selected: ReadonlySet<string>,
  id: string,
): readonly string[] {
  const from = ids.indexOf([...selected].at(-1) ?? id);
  const to = ids.indexOf(id);
  if (from === -1) return [id];
  return from < to ? ids.slice(from, to + 1) : ids.slice(to, from + 1).reverse();
}

/** The column of checkboxes that select rows; with Shift, all rows from the one ticked last. */
export function selectColumn<Row>(options: SelectColumnOptions<Row>): Column<Row> {
  const { header, getId, getLabel, selected, onSelect } = options;
  const listIds = (rows: readonly Row[]) =>
    rows.filter((row) => getLabel(row) !== undefined).map((row) => getId(row));
  return {
    id: 'select',
    header,
    width: '40px',
    headerCell: (rows) => {
      const ids = listIds(rows);
      const count = ids.filter((id) => selected.has(id)).length;
      return (
        <Checkbox
          hideLabel
          label={header}
          disabled={ids.length === 0}
          checked={count === 0 ? false : count === ids.length ? true : 'indeterminate'}
          onChange={(on) => onSelect(ids, on)}
        />
      );
    },
    cell: (row, rows) => {
      const label = getLabel(row);
      const id = getId(row);
      return label === undefined ? null : (
        <Checkbox
          hideLabel
          label={label}
          checked={selected.has(id)}
          onChange={(on, isShift) =>
            onSelect(on && isShift ? listFromLast(listIds(rows), selected, id) : [id], on)
          }
        />
      );
    },
  };
}
