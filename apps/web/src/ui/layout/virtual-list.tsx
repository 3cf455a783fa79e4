import { useVirtualizer } from '@tanstack/react-virtual';
import { clsx } from 'clsx';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';

interface VirtualGridProps<Item> {
  label: string;
  items: readonly Item[];
  itemKey: (item: Item) => string;
  render: (item: Item) => ReactNode;
  /** Height of an item and the gap between items, in pixels. */
  itemHeight: number;
  gap?: number;
  /** Least width of an item in pixels; as many stand side by side as fit. Absent: one per line. */
  minWidth?: number;
  className?: string;
  /** Scrolls away above the items. */
  header?: ReactNode;
}

/** A list or card grid of any length: only what is in view exists. */
export function VirtualGrid<Item>({
  label,
  items,
  itemKey,
  render,
  itemHeight,
  gap = 0,
  minWidth,
  className,
  header,
}: VirtualGridProps<Item>) {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const [columns, setColumns] = useState(1);
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    const measure = () => {
      setColumns(
        minWidth === undefined ? 1 : Math.max(1, Math.floor((element.clientWidth + gap) / (minWidth + gap))),
      );
      setMargin(element.offsetTop);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    if (scroller.current) observer.observe(scroller.current);
    return () => observer.disconnect();
  }, [minWidth, gap]);

  const virtual = useVirtualizer({
    count: items.length,
    lanes: columns,
    getScrollElement: () => scroller.current,
    estimateSize: () => itemHeight,
    gap,
    overscan: 6,
    scrollMargin: margin,
  });
  useLayoutEffect(() => virtual.measure(), [columns, virtual]);

  return (
    <div ref={scroller} className={clsx('min-h-0 grow overflow-y-auto', className)}>
      {header}
      <ul ref={list} aria-label={label} className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const value = items[item.index];
          if (value === undefined) return null;
          return (
            <li
              key={itemKey(value)}
              aria-setsize={items.length}
              aria-posinset={item.index + 1}
              className="absolute top-0"
              style={{
                height: itemHeight,
                width: `calc((100% - ${(columns - 1) * gap}px) / ${columns})`,
                left: `calc(${item.lane} * ((100% - ${(columns - 1) * gap}px) / ${columns} + ${gap}px))`,
                transform: `translateY(${item.start - margin}px)`,
              }}
            >
              {render(value)}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
