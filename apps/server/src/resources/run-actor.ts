import type { Actor } from '../core/actor.ts';
import type { Services } from '../services.ts';

/** The person that a run is attributed to; undefined when their account is gone. */
export async function findActor(
  { database }: Pick<Services, 'database'>,
  user_id: string,
): Promise<Actor | undefined> {
  const { rows } = await database.sql.query<Omit<Actor, 'user_id'>>({
    text: 'SELECT email, name, is_admin FROM users WHERE id = $1',
    values: [user_id],
  });
  return rows[0] && { ...rows[0], user_id };
}
