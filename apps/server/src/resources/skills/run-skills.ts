import { isUuid } from '../../core/ids.ts';
import type { Database } from '../../database/database.ts';
import type { RunSkills } from '../../ports/run/run-skills.ts';
import { storedFiles } from './contents.ts';
import { findVersion, visibleById } from './queries.ts';

/** Skills as runs use them: those of a person, and those shared with them. */
export function createRunSkills({ database: { db } }: { readonly database: Database }): RunSkills {
  return {
    async read(user_id, { id, version }) {
      // Nodes keep what exports and people have written into them.
      const visible = isUuid(id) ? await visibleById(db, user_id, id) : undefined;
      if (!visible) return 'no_skill';
      const found = await findVersion(db, { skill_id: id, number: version ?? visible.skill.version });
      if (!found) return 'no_version';
      const { number, name, content, files, timeout_seconds } = found;
      return { name, version: number, content, files: storedFiles(files), timeout_seconds };
    },
  };
}
