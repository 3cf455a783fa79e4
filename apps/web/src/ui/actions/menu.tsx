import { clsx } from 'clsx';
import { Check, ChevronRight } from 'lucide-react';
import { ContextMenu as Context, DropdownMenu as Dropdown } from 'radix-ui';
import type { ReactNode } from 'react';
import { Keys } from '../display/keys.tsx';

export interface MenuAction {
  kind?: 'action';
  label: string;
  icon?: ReactNode;
  keys?: string;
  tone?: 'danger';
  disabled?: boolean;
  /** Draws a tick before the entry. */
  checked?: boolean;
  onSelect: () => void;
}

export interface MenuGroup {
  kind: 'group';
  label: string;
  icon?: ReactNode;
  items: readonly MenuItem[];
}

/** Entries as data, so that a dropdown, a context menu and the command palette can share them. */
export type MenuItem = MenuAction | MenuGroup | { kind: 'separator' } | { kind: 'heading'; label: string };

type Parts = typeof Dropdown | typeof Context;

export const MENU_PANEL =
  'z-50 max-h-[min(420px,var(--radix-popper-available-height))] min-w-44 animate-rise overflow-y-auto rounded-l border border-line-strong bg-raised p-1 shadow-m';
const ITEM =
  'flex min-h-7 cursor-default items-center gap-2 rounded-s px-2 py-1 text-base outline-none select-none data-[disabled]:opacity-45 data-[highlighted]:bg-hover [&>svg]:size-4 [&>svg]:shrink-0 pointer-coarse:min-h-10';

function Action({ item, parts: { Item } }: { item: MenuAction; parts: Parts }) {
  return (
    <Item
      className={clsx(
        ITEM,
        item.tone === 'danger' ? 'text-danger data-[highlighted]:bg-danger-tint' : '[&>svg]:text-faint',
      )}
      disabled={item.disabled ?? false}
      onSelect={item.onSelect}
      {...(item.checked === undefined ? {} : { role: 'menuitemradio', 'aria-checked': item.checked })}
    >
      {item.icon}
      <span className="grow pr-4">{item.label}</span>
      {item.checked ? <Check aria-hidden /> : null}
      {item.keys ? <Keys keys={item.keys} /> : null}
    </Item>
  );
}

/** Entries inside a dropdown's or context menu's content. */
export function MenuItems({ items, parts }: { items: readonly MenuItem[]; parts: Parts }) {
  return items.map((item, index) => {
    switch (item.kind) {
      case 'separator':
        return <parts.Separator key={`separator-${index}`} className="-mx-1 my-1 h-px bg-line" />;
      case 'heading':
        return (
          <parts.Label key={item.label} className="px-2 pt-1.5 pb-1 text-xs font-medium text-faint">
            {item.label}
          </parts.Label>
        );
      case 'group':
        return (
          <parts.Sub key={item.label}>
            <parts.SubTrigger className={clsx(ITEM, '[&>svg]:text-faint data-[state=open]:bg-hover')}>
              {item.icon}
              <span className="grow pr-4">{item.label}</span>
              <ChevronRight aria-hidden />
            </parts.SubTrigger>
            <parts.Portal>
              <parts.SubContent className={MENU_PANEL} collisionPadding={8}>
                <MenuItems items={item.items} parts={parts} />
              </parts.SubContent>
            </parts.Portal>
          </parts.Sub>
        );
      case 'action':
      case undefined:
        return <Action key={item.label} item={item} parts={parts} />;
      default:
        return item satisfies never;
    }
  });
}

interface MenuProps {
  items: readonly MenuItem[];
  align?: 'start' | 'center' | 'end';
  side?: 'top' | 'bottom' | 'right';
  /** A button; it gets the menu's ARIA attributes. */
  children: ReactNode;
}

export function Menu({ items, align = 'end', side = 'bottom', children }: MenuProps) {
  return (
    <Dropdown.Root modal={false}>
      <Dropdown.Trigger asChild>{children}</Dropdown.Trigger>
      <Dropdown.Portal>
        <Dropdown.Content
          className={MENU_PANEL}
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
        >
          <MenuItems items={items} parts={Dropdown} />
        </Dropdown.Content>
      </Dropdown.Portal>
    </Dropdown.Root>
  );
}

/** The same entries on right click. Always a second way: the area also needs a visible menu button. */
export function ContextMenu({ items, children }: Pick<MenuProps, 'items' | 'children'>) {
  return (
    <Context.Root modal={false}>
      <Context.Trigger asChild>{children}</Context.Trigger>
      <Context.Portal>
        <Context.Content className={MENU_PANEL} collisionPadding={8}>
          <MenuItems items={items} parts={Context} />
        </Context.Content>
      </Context.Portal>
    </Context.Root>
  );
}
