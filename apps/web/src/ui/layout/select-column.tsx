import { Checkbox } from '../forms/toggles.tsx';
import type { Column } from './data-table.tsx';
import type { Selection } from './use-selection.ts';

interface SelectColumnOptions<Row> extends Selection {
  header: string;
  getId: (row: Row) => string;
  /** Name of the checkbox; without one the row cannot be selected. */
  getLabel: (row: Row) => string | undefined;
  wide?: boolean;
}

/** The column of checkboxes that select rows. */
export function selectColumn<Row>(options: SelectColumnOptions<Row>): Column<Row> {
  const { header, getId, getLabel, selected, onSelect, wide = false } = options;
  return {
    id: 'select',
    header,
    hideHeader: true,
    wide,
    width: '40px',
    cell: (row) => {
      const label = getLabel(row);
      return label === undefined ? null : (
        <Checkbox
          hideLabel
          label={label}
          checked={selected.has(getId(row))}
          onChange={(on) => onSelect(getId(row), on)}
        />
      );
    },
  };
}
