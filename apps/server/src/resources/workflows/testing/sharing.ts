import { newId } from '../../../core/ids.ts';
import { teamMembers, teams, workflowShares, workflowTeamShares } from '../../../database/schema/index.ts';
import type { TestApp, TestUser } from '../../../testing/index.ts';

/** Shares a workflow with a person, beneath the resource that does it over HTTP. */
export async function shareWith(app: TestApp, workflow_id: string, user: TestUser): Promise<void> {
  await app.services.database.db.insert(workflowShares).values({ workflow_id, user_id: user.id });
  app.services.broadcast.publish('access_changed', `workflow:${workflow_id}`);
}

/** Shares a workflow with a new team of these people. */
export async function shareWithTeam(
  app: TestApp,
  workflow_id: string,
  [creator, ...others]: [TestUser, ...TestUser[]],
): Promise<string> {
  const { db } = app.services.database;
  const team_id = newId();
  await db.insert(teams).values({ id: team_id, name: 'Support', creator_id: creator.id });
  await db
    .insert(teamMembers)
    .values([creator, ...others].map((member) => ({ team_id, user_id: member.id })));
  await db.insert(workflowTeamShares).values({ workflow_id, team_id });
  app.services.broadcast.publish('access_changed', `workflow:${workflow_id}`);
  return team_id;
}
