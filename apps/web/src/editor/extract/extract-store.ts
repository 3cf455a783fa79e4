import { create } from 'zustand';

/** Whether the dialog is open that takes the chosen nodes out into a workflow of their own. */
export const useExtract = create<{ open: boolean }>()(() => ({ open: false }));
