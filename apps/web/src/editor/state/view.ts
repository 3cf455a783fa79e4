import type { ImportReport } from '@millrace/contracts';
import { create, type StoreApi, type UseBoundStore } from 'zustand';

export type SideTab = 'node' | 'run' | 'outline' | 'import';
export type PanelTab = 'configure' | 'output';

/** Which parts of the editor are in front. */
export interface ViewState {
  readonly side: SideTab;
  readonly panel: PanelTab;
  /** On a phone the side is a sheet over the lower part of the canvas. */
  readonly sheet: boolean;
  /** The dialog that makes the draft live is open. */
  readonly publishing: boolean;
  /** The node whose input, parameters and output are open over the canvas. */
  readonly detail: string | undefined;
  /** The changes to what was last put on the canvas from another tool; not stored. */
  readonly canvas_report: ImportReport | undefined;
  show(side: SideTab): void;
  showNode(panel?: PanelTab): void;
  set(part: Partial<Pick<ViewState, 'panel' | 'sheet' | 'publishing' | 'detail' | 'canvas_report'>>): void;
}

export type ViewStore = UseBoundStore<StoreApi<ViewState>>;

export function createViewStore(): ViewStore {
  return create<ViewState>()((set) => ({
    side: 'run',
    panel: 'configure',
    sheet: false,
    publishing: false,
    detail: undefined,
    canvas_report: undefined,
    show: (side) => set({ side, sheet: true }),
    showNode: (panel) => set({ side: 'node', sheet: true, ...(panel ? { panel } : {}) }),
    set: (part) => set(part),
  }));
}
