import { NodeFailure } from '@millrace/engine';
import { AppError } from '../../core/app-error.ts';
import type { Services } from '../../execution/context.ts';
import type { RunFiles } from '../../ports/run-files.ts';
import { addDefaultLink } from './links.ts';
import { storeFile } from './store-file.ts';

const MEGABYTE = 1024 * 1024;

/** Files that nodes of runs make, in the Drive of the person that the run is attributed to, each with a public link. */
export function createRunFiles({
  database,
  files,
  config,
  now,
}: Pick<Services, 'database' | 'files' | 'config' | 'now'>): RunFiles {
  return {
    async store({ owner_id, workflow_id, run_id, node_id, node_label, filename, body }) {
      const input = {
        owner_id,
        filename,
        body,
        max_bytes: config.FILE_MAX_SIZE_MB * MEGABYTE,
        workflow_id,
        run_id,
        source_node_id: node_id,
        source_node_label: node_label,
      };
      let download_url = '';
      try {
        const file = await storeFile({ db: database.db, files, now }, input, async (tx, stored) => {
          download_url = await addDefaultLink({ db: tx, config }, stored.id);
        });
        const { id, mime_type, size_bytes } = file;
        return { id, filename: file.filename, mime_type, size_bytes, download_url };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        throw new NodeFailure({ kind: 'params', message: error.message, final: true }, { cause: error });
      }
    },
  };
}
