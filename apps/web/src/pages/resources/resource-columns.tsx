import { Ellipsis, Users } from 'lucide-react';
import type { ReactNode } from 'react';
import type { useTranslations } from 'use-intl';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { Menu, type MenuItem } from '../../ui/actions/menu.tsx';
import { Badge } from '../../ui/display/status-chip.tsx';
import { Ago } from '../../ui/display/time.tsx';
import type { Column } from '../../ui/layout/data-table.tsx';

type UiTexts = ReturnType<typeof useTranslations<'ui'>>;

interface Shareable {
  is_shared: boolean;
  shared_by: string | null;
  shared_by_team: string | null;
}

/** Who or what team shares a thing with the reader. */
export function SharedBy({ shared_by, shared_by_team }: Omit<Shareable, 'is_shared'>) {
  const name = shared_by_team ?? shared_by;
  return (
    <Badge tone="info" className="min-w-0 !shrink">
      <Users className="shrink-0" aria-hidden />
      <span className="truncate" title={name ?? undefined}>
        {name}
      </span>
    </Badge>
  );
}

/** @param name of a row, to open it */
export const nameColumn = <Row extends { description: string | null }>(
  ui: UiTexts,
  icon: ReactNode,
  name: (row: Row) => ReactNode,
): Column<Row> => ({
  id: 'name',
  header: ui('name'),
  width: 'minmax(160px, 2fr)',
  cell: (row) => (
    <>
      <span className="shrink-0 text-faint [&>svg]:size-4">{icon}</span>
      {name(row)}
      <span className="hidden min-w-0 grow basis-0 truncate text-sm text-faint lg:inline">
        {row.description}
      </span>
    </>
  ),
});

export const ownerColumn = <Row extends Shareable>(ui: UiTexts): Column<Row> => ({
  id: 'owner',
  header: ui('owner'),
  wide: true,
  width: 'minmax(120px, 1fr)',
  cell: (row) => (row.is_shared ? <SharedBy {...row} /> : <span className="text-soft">{ui('you')}</span>),
});

export const updatedColumn = <Row extends { updated_at: string }>(ui: UiTexts): Column<Row> => ({
  id: 'updated',
  header: ui('updated'),
  wide: true,
  width: '130px',
  cell: ({ updated_at }) => <Ago at={updated_at} className="truncate text-soft" />,
});

/** @param getItems empty: the row has no menu */
export const menuColumn = <Row extends { name: string }>(
  ui: UiTexts,
  getItems: (row: Row) => MenuItem[],
): Column<Row> => ({
  id: 'menu',
  header: ui('more_actions'),
  hideHeader: true,
  width: '48px',
  align: 'end',
  cell: (row) => {
    const items = getItems(row);
    return items.length === 0 ? null : (
      <Menu items={items}>
        <IconButton
          size="small"
          tooltip={false}
          label={ui('actions_for', { name: row.name })}
          icon={<Ellipsis aria-hidden />}
        />
      </Menu>
    );
  },
});

/** The name of a row: a button for those who may open it. */
export function ResourceName({ name, onOpen }: { name: string; onOpen: (() => void) | undefined }) {
  return onOpen ? (
    <button type="button" className="truncate font-medium hover:underline" onClick={onOpen}>
      {name}
    </button>
  ) : (
    <span className="truncate font-medium">{name}</span>
  );
}
