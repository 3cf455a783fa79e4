import type { ReactNode } from 'react';
import { create } from 'zustand';

export interface Confirmation {
  title: string;
  body?: ReactNode;
  /** The verb on the button: "Delete now", never "OK". */
  action: string;
  tone?: 'danger' | 'primary';
  /** The person types this word first; for what cannot be undone and takes much with it. */
  type_to_confirm?: string;
}

interface ConfirmStore {
  asked: (Confirmation & { answer: (yes: boolean) => void }) | undefined;
}

export const useConfirmStore = create<ConfirmStore>()(() => ({ asked: undefined }));

/** Asks before something that cannot be undone. Where it can be undone, do it and offer undo instead. */
export function confirm(confirmation: Confirmation): Promise<boolean> {
  useConfirmStore.getState().asked?.answer(false);
  return new Promise((resolve) => {
    useConfirmStore.setState({
      asked: {
        ...confirmation,
        answer: (yes) => {
          useConfirmStore.setState({ asked: undefined });
          resolve(yes);
        },
      },
    });
  });
}
