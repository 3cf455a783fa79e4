import { lazyRouteComponent } from '@tanstack/react-router';
import { loadCode } from '../lib/code/load-code.ts';

type Page = Record<string, (props: never) => unknown>;

/** A page whose code loads when it is first opened, and waits for a server that does not answer. */
export const lazyPage = <Module extends Page, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) => lazyRouteComponent(() => loadCode(load), name);
