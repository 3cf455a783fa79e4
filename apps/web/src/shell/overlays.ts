import { create } from 'zustand';

interface ShellStore {
  palette: boolean;
  shortcuts: boolean;
  menu: boolean;
  quickDrawer: boolean;
}

const CLOSED: ShellStore = { palette: false, shortcuts: false, menu: false, quickDrawer: false };

/** Which overlay of the frame is open. */
export const useShell = create<ShellStore>()(() => CLOSED);

export const closeOverlays = () => useShell.setState(CLOSED);

/** One at a time: two modal overlays would hide each other from screen readers. */
const openOnly = (name: keyof ShellStore) => () => useShell.setState({ ...CLOSED, [name]: true });

export const openPalette = openOnly('palette');
export const openShortcuts = openOnly('shortcuts');
export const openQuickDrawer = openOnly('quickDrawer');
