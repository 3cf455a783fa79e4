import { Ellipsis } from 'lucide-react';
import { ContextMenu as Context } from 'radix-ui';
import { type MouseEvent, type ReactNode, useRef, useState } from 'react';
import { IconButton } from './icon-button.tsx';
import { MENU_PANEL, type MenuItem, MenuItems } from './menu.tsx';

const OWNER = 'data-menu-owner';

interface SharedMenuProps {
  /** Entries for the item with that id; none opens the browser's own menu. */
  getItems: (id: string) => readonly MenuItem[];
  children: ReactNode;
}

/**
 * One menu for a list of any length: on right click, after a long press, and from a `SharedMenuButton`. Every item
 * carries its id in `data-menu-owner`. A menu for each item would make long lists slow.
 */
export function SharedMenu({ getItems, children }: SharedMenuProps) {
  const [items, setItems] = useState<readonly MenuItem[]>([]);
  const opener = useRef<HTMLElement | null>(null);
  const prepare = (event: MouseEvent) => {
    const target = event.target instanceof Element ? event.target : null;
    const owner = target?.closest<HTMLElement>(`[${OWNER}]`);
    const id = owner?.getAttribute(OWNER);
    const found = id ? getItems(id) : [];
    // Radix opens on the same event in its bubble phase unless it is stopped here.
    if (found.length === 0) event.stopPropagation();
    const focusable = owner?.hasAttribute('tabindex') ? owner : null;
    opener.current = target?.closest<HTMLElement>('button, a') ?? focusable;
    setItems(found);
  };
  return (
    <Context.Root modal={false}>
      <Context.Trigger asChild>
        <div className="contents" onContextMenuCapture={prepare}>
          {children}
        </div>
      </Context.Trigger>
      <Context.Portal>
        <Context.Content
          className={MENU_PANEL}
          collisionPadding={8}
          onCloseAutoFocus={(event) => {
            // A dialog that an entry has opened, or a field beside the menu, has the focus by now.
            const focused = document.activeElement;
            if (focused && focused !== document.body) return event.preventDefault();
            if (!opener.current?.isConnected) return;
            event.preventDefault();
            opener.current.focus();
          }}
        >
          <MenuItems items={items} parts={Context} />
        </Context.Content>
      </Context.Portal>
    </Context.Root>
  );
}

/** Opens the shared menu of the item around it. */
export function SharedMenuButton({ label }: { label: string }) {
  return (
    <IconButton
      size="small"
      tooltip={false}
      label={label}
      aria-haspopup="menu"
      icon={<Ellipsis aria-hidden />}
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        event.currentTarget.dispatchEvent(
          new window.MouseEvent('contextmenu', {
            bubbles: true,
            cancelable: true,
            clientX: box.left,
            clientY: box.bottom + 2,
          }),
        );
      }}
    />
  );
}
