import type { Binder, BindResource } from '../http/bind.ts';
import { installUploads } from '../http/bodies/uploads.ts';
import { watchChanges } from './audit/http/watch.ts';
import { bindBoards } from './boards/routes.ts';
import { bindDataTables } from './data-tables/routes.ts';
import { bindFileIntake } from './file-intake/routes.ts';
import { bindFiles } from './files/routes.ts';
import { bindFolders } from './folders/routes.ts';
import { resources } from './resources.generated.ts';
import { bindSkills } from './skills/routes.ts';
import { bindVectorStores } from './vector-stores/routes.ts';

/** Resources that take files. The parser of forms adds work to each request, which calls of workflows must not pay for. */
const TAKING_FILES: readonly BindResource[] = [
  bindFolders,
  bindFiles,
  bindFileIntake,
  bindVectorStores,
  bindDataTables,
  bindBoards,
  bindSkills,
];

async function bindAll(binder: Binder, wanted: readonly BindResource[]): Promise<void> {
  for (const bind of wanted) await bind(binder);
}

export async function bindResources(plain: Binder): Promise<void> {
  const binder = watchChanges(plain);
  await binder.app.register(async (scope) => {
    await installUploads(scope);
    await bindAll(binder.within(scope), TAKING_FILES);
  });
  await bindAll(
    binder,
    resources.filter((bind) => !TAKING_FILES.includes(bind)),
  );
}
