import { create, type StoreApi, type UseBoundStore } from 'zustand';
import type { CanvasReport } from './canvas-reports.ts';

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
  /** Not stored, the oldest first. */
  readonly canvas_reports: readonly CanvasReport[];
  /** A workflow of another tool is being read. */
  readonly converting: boolean;
  show(side: SideTab): void;
  showNode(panel?: PanelTab): void;
  set(
    part: Partial<
      Pick<ViewState, 'panel' | 'sheet' | 'publishing' | 'detail' | 'canvas_reports' | 'converting'>
    >,
  ): void;
}

export type ViewStore = UseBoundStore<StoreApi<ViewState>>;

export function createViewStore(): ViewStore {
  return create<ViewState>()((set) => ({
    side: 'run',
    panel: 'configure',
    sheet: false,
    publishing: false,
    detail: undefined,
    canvas_reports: [],
    converting: false,
    show: (side) => set({ side, sheet: true }),
    showNode: (panel) => set({ side: 'node', sheet: true, ...(panel ? { panel } : {}) }),
    set: (part) => set(part),
  }));
}
