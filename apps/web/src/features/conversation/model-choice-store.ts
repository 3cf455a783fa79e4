import { createStore } from 'zustand/vanilla';

const VERSION = 2;

export interface ModelChoice {
  readonly credential_id: string;
  readonly model: string;
}

interface Kept {
  readonly version: number;
  readonly choice: ModelChoice | null;
}

interface ChoiceState {
  readonly choice: ModelChoice | null;
  choose(choice: ModelChoice): void;
}

/** In a shared browser, the choice is kept per person. */
const buildStorageKey = (user_id: string) => `millrace.assistant.${user_id}`;

function readKept(user_id: string): ModelChoice | null {
  try {
    const kept = JSON.parse(localStorage.getItem(buildStorageKey(user_id)) ?? 'null') as Kept | null;
    return kept?.version === VERSION ? kept.choice : null;
  } catch {
    return null;
  }
}

function keep(user_id: string, choice: ModelChoice): void {
  const kept: Kept = { version: VERSION, choice };
  try {
    localStorage.setItem(buildStorageKey(user_id), JSON.stringify(kept));
  } catch {
    // Storage is blocked or full; the choice lasts as long as the page.
  }
}

const createChoiceStore = (user_id: string) =>
  createStore<ChoiceState>()((set) => ({
    choice: readKept(user_id),
    choose(choice) {
      set({ choice });
      keep(user_id, choice);
    },
  }));

const stores = new Map<string, ReturnType<typeof createChoiceStore>>();

/** The model that answers a person; the same one for all assistants. */
export function getChoiceStore(user_id: string): ReturnType<typeof createChoiceStore> {
  const known = stores.get(user_id) ?? createChoiceStore(user_id);
  stores.set(user_id, known);
  return known;
}
