import type { Json } from '@millrace/engine';
import { create, type StoreApi, type UseBoundStore } from 'zustand';

export type InputMode = 'form' | 'json';

/** The input of the next run, kept while other tabs are in front. */
export interface RunForm {
  readonly mode: InputMode;
  readonly typed: ReadonlyMap<string, string>;
  readonly raw: string;
  readonly test_run: boolean;
  type(key: string, value: string): void;
  set(part: Partial<Pick<RunForm, 'mode' | 'raw' | 'test_run'>>): void;
  /** Takes over what a former run was given. */
  fill(body: Json): void;
}

export type RunFormStore = UseBoundStore<StoreApi<RunForm>>;

export function createRunForm(): RunFormStore {
  return create<RunForm>()((set) => ({
    mode: 'form',
    typed: new Map(),
    raw: '',
    test_run: true,
    type: (key, value) => set((state) => ({ typed: new Map(state.typed).set(key, value) })),
    set: (part) => set(part),
    fill: (body) => set({ mode: 'json', raw: JSON.stringify(body, null, 2) }),
  }));
}
