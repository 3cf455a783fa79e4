import type { LucideIcon } from 'lucide-react';

/**
 * A page that the navigation leads to. The folder says the rest: its name is the address, `<name>-page.tsx` the page,
 * `<name>Search` of `search.ts` what its address may ask for, and its text `in_navigation`, or else `title`,
 * the name that people read.
 */
export interface Place {
  /** Where it is known by another name than its folder. */
  readonly name?: string;
  /** Where its address is not its name. */
  readonly to?: string;
  readonly group: 'build' | 'run' | 'connect' | 'admin';
  readonly icon: LucideIcon;
  /** Second key after `g`. */
  readonly key: string;
}
