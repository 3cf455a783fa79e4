import { create } from 'zustand';

interface ShellStore {
  palette: boolean;
  shortcuts: boolean;
  menu: boolean;
}

/** Which overlay of the frame is open. */
export const useShell = create<ShellStore>()(() => ({ palette: false, shortcuts: false, menu: false }));

export const openPalette = () => useShell.setState({ palette: true });
export const openShortcuts = () => useShell.setState({ shortcuts: true });
