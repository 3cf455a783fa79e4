import { type lazy as Lazy, lazy as lazyInReact } from 'react';
import { loadCode } from './load-code.ts';

/** A component whose code loads when it is first shown, and waits for a server that does not answer. */
export const lazy: typeof Lazy = (load) => lazyInReact(() => loadCode(load));
