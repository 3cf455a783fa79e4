import type { LibrarySkill } from '@millrace/nodes/runtime';

/** The library of skills as runs use it. */
export interface RunSkills {
  /**
   * A skill with the rights of that person; they cannot tell `no_skill` for one that does not exist from one that is not theirs.
   *
   * @param version null for the newest one
   */
  read(
    user_id: string,
    reference: { readonly id: string; readonly version: number | null },
  ): Promise<LibrarySkill | 'no_skill' | 'no_version'>;
}
