import type { Binder } from '../http/bind.ts';
import { watchChanges } from './audit/http/watch.ts';
import { resources } from './resources.generated.ts';

/** Makes the routes of every resource. */
export async function bindResources(plain: Binder): Promise<void> {
  const binder = watchChanges(plain);
  for (const bind of resources) await bind(binder);
}
