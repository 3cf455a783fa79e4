import { afterEach } from 'vitest';
import { useConfirmStore } from '../overlays/confirm-store.ts';

// A question that a test leaves open would hide what the tests that follow in the same process look for.
afterEach(() => useConfirmStore.getState().asked?.answer(false));
