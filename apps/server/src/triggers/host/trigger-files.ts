import { MEGABYTE } from '@millrace/engine/units';
import type { TriggerFiles } from '@millrace/nodes/runtime';
import { addDefaultLink } from '../../resources/files/links.ts';
import { discardFile, storeFile } from '../../resources/files/store-file.ts';
import type { Services } from '../../services.ts';
import type { HostedTrigger } from './hosted-trigger.ts';

/** Files that a trigger stores for its events; they belong to the owner of its workflow. */
export function triggerFiles(
  { database, files, config, now }: Pick<Services, 'database' | 'files' | 'config' | 'now'>,
  { owner_id, workflow_id, node_id }: HostedTrigger,
): TriggerFiles {
  const max_bytes = config.FILE_MAX_SIZE_MB * MEGABYTE;
  const { db } = database;
  return {
    max_bytes,
    async store({ filename, body }) {
      let download_url = '';
      const origin = { owner_id, workflow_id, source_node_id: node_id };
      const { id } = await storeFile(
        { db, files, now },
        { ...origin, filename, body, max_bytes },
        async (tx, file) => {
          download_url = await addDefaultLink({ db: tx, config }, file.id);
        },
      );
      return { id, download_url };
    },
    discard: (id) => discardFile({ db, files }, { owner_id, id }),
  };
}
