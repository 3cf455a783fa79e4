import type { WorkflowSummary } from '@millrace/contracts';
import { and, asc, count, desc, eq, ilike, inArray, or, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Db } from '../../database/database.ts';
import { likePattern } from '../../database/like-pattern.ts';
import {
  teamMembers,
  teamWorkflowPlacements,
  users,
  workflowShares,
  workflows,
  workflowTeamShares,
  workflowVersions,
} from '../../database/schema/index.ts';
import { grantingTeam, visibleIds, workflowShareable } from '../shares/shareable.ts';
import { buildPlacementCondition, buildShareCondition, isPublished } from './access.ts';

export interface ListOptions {
  readonly search?: string | undefined;
  readonly sort: 'updated_at' | 'created_at' | 'name';
  readonly order?: 'asc' | 'desc' | undefined;
  readonly limit?: number | undefined;
  readonly offset: number;
  /** Row of the former page that this one comes behind, sorted by `updated_at`; both or none. */
  readonly before?: string | undefined;
  readonly before_id?: string | undefined;
}

/** Columns that a list shows of a workflow, and nothing of its graph and its settings. */
const listed = (user_id: string) => ({
  id: workflows.id,
  name: workflows.name,
  description: workflows.description,
  owner_id: workflows.owner_id,
  owner_name: users.name,
  folder_id: workflows.folder_id,
  version_id: workflows.version_id,
  version_number: workflowVersions.version_number,
  draft_id: workflows.draft_id,
  active: workflows.active,
  scheduled_for_deletion: workflows.scheduled_for_deletion,
  first_node_type: workflows.first_node_type,
  mcp_enabled: workflows.mcp_enabled,
  portal_enabled: workflows.portal_enabled,
  portal_slug: workflows.portal_slug,
  auth_type: workflows.auth_type,
  http_method: workflows.http_method,
  created_at: workflows.created_at,
  updated_at: workflows.updated_at,
  share_id: workflowShares.id,
  share_folder_id: workflowShares.folder_id,
  placed_folder_id: teamWorkflowPlacements.folder_id,
  team_name: grantingTeam(workflowShareable, user_id),
});

function selectListed(db: Db, user_id: string, condition: SQL | undefined) {
  return db
    .select(listed(user_id))
    .from(workflows)
    .innerJoin(users, eq(users.id, workflows.owner_id))
    .innerJoin(workflowVersions, eq(workflowVersions.id, workflows.version_id))
    .leftJoin(workflowShares, buildShareCondition(user_id))
    .leftJoin(teamWorkflowPlacements, buildPlacementCondition(user_id))
    .where(condition);
}

export type ListedRow = Awaited<ReturnType<typeof selectListed>>[number];

/** The workflow as this person sees it in a list: in their own folder, never the owner's. */
export function listedSummary(row: ListedRow, user_id: string): WorkflowSummary {
  const {
    version_id: _,
    version_number,
    draft_id,
    share_id,
    share_folder_id,
    placed_folder_id,
    ...rest
  } = row;
  const { team_name, ...shown } = rest;
  const isOwner = row.owner_id === user_id;
  return {
    ...shown,
    published: isPublished({ version_number }),
    unpublished_changes: draft_id !== null,
    access: isOwner ? 'owner' : 'collaborator',
    folder_id: isOwner ? row.folder_id : (share_folder_id ?? placed_folder_id),
    scheduled_for_deletion: isOwner ? (row.scheduled_for_deletion?.toISOString() ?? null) : null,
    shared_by_team: isOwner || share_id ? null : team_name,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

function searchCondition(search: string | undefined): SQL | undefined {
  if (!search) return undefined;
  const pattern = likePattern(search);
  return or(ilike(workflows.name, pattern), ilike(workflows.description, pattern));
}

/** Everything that a person sees and that meets the condition; one query, however many there are. */
export const listMatching = (db: Db, user_id: string, condition?: SQL): Promise<ListedRow[]> =>
  selectListed(db, user_id, and(inArray(workflows.id, visibleIds(workflowShareable, user_id)), condition));

/** How many workflows a person sees. */
export async function countVisible(db: Db, user_id: string): Promise<number> {
  const [row] = await db
    .select({ total: count() })
    .from(workflows)
    .where(inArray(workflows.id, visibleIds(workflowShareable, user_id)));
  return row?.total ?? 0;
}

/** Rows after the one that the options name; undefined when they name none. */
function behind(at: SQL | PgColumn, id: SQL | PgColumn, options: ListOptions): SQL | undefined {
  const { before, before_id, order } = options;
  if (before === undefined || before_id === undefined) return undefined;
  const side = order === 'asc' ? sql`>` : sql`<`;
  return sql`(${at}, ${id}) ${side} (${before}::timestamptz, ${before_id}::uuid)`;
}

/**
 * Ids of a page by date of change: as many of each way in as the page may need, then the first of those. The person's own
 * workflows, which are the many, are read off the index in its order; nothing is sorted but candidates.
 */
function pageIds(user_id: string, options: ListOptions): SQL {
  const { order, limit = 0, offset } = options;
  const direction = order === 'asc' ? sql`ASC` : sql`DESC`;
  const sorted = sql`ORDER BY w.updated_at ${direction}, w.id ${direction}`;
  const further = behind(sql`w.updated_at`, sql`w.id`, options);
  const andBehind = further ? sql`AND ${further}` : sql``;
  const most = sql`LIMIT ${limit + offset}`;
  return sql`(
    SELECT w.id FROM (
      (SELECT w.id, w.updated_at FROM ${workflows} w WHERE w.owner_id = ${user_id} ${andBehind} ${sorted} ${most})
      UNION
      (SELECT w.id, w.updated_at FROM ${workflowShares} s JOIN ${workflows} w ON w.id = s.workflow_id
        WHERE s.user_id = ${user_id} ${andBehind} ${sorted} ${most})
      UNION
      (SELECT w.id, w.updated_at FROM ${teamMembers} m
        JOIN ${workflowTeamShares} s ON s.team_id = m.team_id JOIN ${workflows} w ON w.id = s.workflow_id
        WHERE m.user_id = ${user_id} ${andBehind} ${sorted} ${most})
    ) w ${sorted} LIMIT ${limit} OFFSET ${offset}
  )`;
}

/** Visible workflows in one query, ties broken by id so that pages neither repeat nor skip. */
export function listVisible(db: Db, user_id: string, options: ListOptions): Promise<ListedRow[]> {
  const { sort, order = sort === 'name' ? 'asc' : 'desc', search, limit, offset } = options;
  const column = sort === 'name' ? sql`lower(${workflows.name})` : workflows[sort];
  const direction = order === 'asc' ? asc : desc;
  const sorted = [direction(column), direction(workflows.id)] as const;
  if (sort === 'updated_at' && limit !== undefined && !search) {
    // As an array the ids are looked up one by one; joined, they would be searched for in the whole table.
    const page = sql`${workflows.id} = ANY (ARRAY${pageIds(user_id, { ...options, order })})`;
    return selectListed(db, user_id, page).orderBy(...sorted);
  }
  const visible = inArray(workflows.id, visibleIds(workflowShareable, user_id));
  const further = behind(workflows.updated_at, workflows.id, { ...options, order });
  const query = selectListed(db, user_id, and(visible, searchCondition(search), further))
    .orderBy(...sorted)
    .$dynamic();
  const bounded = limit === undefined ? query : query.limit(limit);
  return offset === 0 ? bounded : bounded.offset(offset);
}
