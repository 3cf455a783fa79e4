import { useVirtualizer } from '@tanstack/react-virtual';
import { clsx } from 'clsx';
import { ChevronRight } from 'lucide-react';
import { useRef } from 'react';
import { useTranslations } from 'use-intl';
import { type JsonPath, pathText } from '../../lib/json/json-path.ts';
import { isContainer, type JsonRow } from '../../lib/json/json-rows.ts';
import { CopyButton } from '../actions/copy-button.tsx';
import { useJsonRows } from './use-json-rows.ts';
import { useTreeKeys } from './use-tree-keys.ts';

const ROW_HEIGHT = 22;
const TEXT_LIMIT = 400;

interface JsonTreeProps {
  value: unknown;
  /** Accessible name of the tree. */
  label: string;
  /** Containers above this level start open; 2 by default. */
  openLevels?: number;
  /** Highlights matches and opens the way to them. */
  search?: string;
  /** Makes rows pickable: double click, Enter, drag or a tap on a plain value gives the path. */
  onPick?: (path: JsonPath) => void;
  /** The data that a dragged row carries, by type; its path as text by default. */
  dragData?: (path: JsonPath) => Readonly<Record<string, string>>;
  className?: string;
}

const plainPath = (path: JsonPath) => ({ 'text/plain': pathText(path) });

/** A JSON value as a tree of any size, for mouse, keyboard and screen reader. */
export function JsonTree({
  value,
  label,
  openLevels = 2,
  search = '',
  onPick,
  dragData = plainPath,
  className,
}: JsonTreeProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const tree = useJsonRows(value, { openLevels, search });
  const { rows } = tree;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 20,
  });
  const { at, setFocused, onKeyDown } = useTreeKeys(tree, {
    scroller,
    scrollTo: (index) => virtual.scrollToIndex(index),
    onPick,
  });
  return (
    <div ref={scroller} className={clsx('min-h-0 overflow-auto py-1 font-mono text-sm', className)}>
      <div
        role="tree"
        tabIndex={-1}
        aria-label={label}
        className="relative min-w-max"
        style={{ height: virtual.getTotalSize() }}
        onKeyDown={onKeyDown}
      >
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index];
          if (!row) return null;
          return (
            <TreeRow
              key={row.key}
              row={row}
              index={item.index}
              top={item.start}
              focusable={item.index === at}
              matched={tree.matches.has(row.key)}
              onFocus={() => setFocused(item.index)}
              onOpen={() => tree.open(row)}
              {...(onPick ? { onPick: () => onPick(row.path) } : {})}
              {...(onPick ? { dragData: () => dragData(row.path) } : {})}
            />
          );
        })}
      </div>
    </div>
  );
}

interface TreeRowProps {
  row: JsonRow;
  index: number;
  top: number;
  focusable: boolean;
  matched: boolean;
  onFocus: () => void;
  onOpen: () => void;
  onPick?: () => void;
  dragData?: () => Readonly<Record<string, string>>;
}

function TreeRow({ row, index, top, focusable, matched, onFocus, onOpen, onPick, dragData }: TreeRowProps) {
  const t = useTranslations('ui');
  const opens = isContainer(row.kind) && row.size > 0 && !row.more;
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the tree handles keys for its rows
    <div
      role="treeitem"
      data-index={index}
      aria-level={row.level + 1}
      aria-selected={focusable}
      {...(opens ? { 'aria-expanded': row.expanded } : {})}
      tabIndex={focusable ? 0 : -1}
      draggable={dragData !== undefined && !row.more}
      onDragStart={(event) => {
        for (const [type, text] of Object.entries(dragData?.() ?? {})) event.dataTransfer.setData(type, text);
      }}
      onFocus={onFocus}
      onClick={({ nativeEvent }) => {
        // A finger has neither Enter nor a double click.
        const isTouch = nativeEvent instanceof PointerEvent && nativeEvent.pointerType === 'touch';
        if (isTouch && onPick && !opens && !row.more) onPick();
        else onOpen();
      }}
      onDoubleClick={onPick}
      className={clsx(
        'group/row absolute flex min-w-full items-center pr-2 whitespace-nowrap outline-offset-[-2px] hover:bg-hover',
        matched && 'bg-warning-tint',
        (opens || row.more) && 'cursor-pointer',
      )}
      style={{ height: ROW_HEIGHT, transform: `translateY(${top}px)`, paddingLeft: 8 + row.level * 14 }}
    >
      <ChevronRight
        aria-hidden
        className={clsx(
          'mr-0.5 size-3.5 shrink-0 text-faint',
          !opens && 'invisible',
          row.expanded && 'rotate-90',
        )}
      />
      {row.more ? (
        <span className="text-accent-text underline">{t('show_more', { count: row.more })}</span>
      ) : (
        <>
          {row.name === undefined ? null : (
            <span className={typeof row.name === 'number' ? 'text-faint' : 'text-text'}>{row.name}</span>
          )}
          {row.name === undefined ? null : <span className="mr-1.5 text-faint">:</span>}
          <JsonValue row={row} />
          <span className="ml-2 inline-flex opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100">
            <CopyButton
              text={() => (typeof row.value === 'string' ? row.value : JSON.stringify(row.value, null, 2))}
              label={t('copy_value')}
              className="h-5 w-5"
            />
          </span>
        </>
      )}
    </div>
  );
}

function JsonValue({ row }: { row: JsonRow }) {
  const t = useTranslations('ui');
  switch (row.kind) {
    case 'object':
      return (
        <span className="text-faint">{row.size === 0 ? '{}' : `{…} ${t('keys', { count: row.size })}`}</span>
      );
    case 'array':
      return (
        <span className="text-faint">{row.size === 0 ? '[]' : `[…] ${t('items', { count: row.size })}`}</span>
      );
    case 'string': {
      const text = String(row.value);
      const cut = text.length > TEXT_LIMIT ? `${text.slice(0, TEXT_LIMIT)}…` : text;
      return <span className="text-success">{JSON.stringify(cut)}</span>;
    }
    case 'number':
      return <span className="tabular text-info">{String(row.value)}</span>;
    case 'boolean':
      return <span className="text-warning">{String(row.value)}</span>;
    case 'null':
    case 'missing':
      return <span className="text-faint italic">{row.kind === 'null' ? 'null' : t('no_value')}</span>;
    default:
      return row.kind satisfies never;
  }
}
