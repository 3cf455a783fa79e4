import { afterAll, vi } from 'vitest';

// A part that a screen still loads when its tests are over would fail without the document, and stay failed for the files that
// follow in the same process.
afterAll(() => vi.dynamicImportSettled());
