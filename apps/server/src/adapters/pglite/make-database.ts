// Creates the database of a folder in a separate process: that takes half a gigabyte, and a process that serves afterwards
// would keep 60 MB of it.
import { openEngine } from './engine.ts';

/** Its answer: why the database could not be created, or null. */
export type Made = string | null;

async function make(folder: string): Promise<Made> {
  try {
    await (await openEngine({ folder })).close();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

// The parent process has ended, so the database is no longer needed.
process.once('disconnect', () => process.exit());
process.once('message', (folder: string) => {
  void make(folder).then((made) => process.send?.(made, () => process.disconnect()));
});
