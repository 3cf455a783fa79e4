import { setImmediate as turn } from 'node:timers/promises';
import { findNodeCredentials, type WorkflowNode } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { and, asc, desc, eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../../database/database.ts';
import {
  publishGateSuites,
  workflowDrafts,
  workflows,
  workflowVersions,
} from '../../../database/schema/index.ts';
import { visibleIds, workflowShareable } from '../../shares/shareable.ts';
import { type CredentialRow, resolveNames } from '../queries.ts';

/** Graphs that one request reads, of published versions and of drafts each. */
const MOST_GRAPHS = 200;

/** Whose objects are searched for uses of which credential. */
export interface Search {
  readonly credential: CredentialRow;
  readonly actor_id: string;
  /** The owner of the credential, and everyone whom it is shared with. */
  readonly user_ids: readonly string[];
  /** Also objects that the actor cannot see. */
  readonly counts_hidden: boolean;
}

interface Use {
  readonly id: string;
  readonly name: string;
  readonly is_visible: boolean;
}

/** A name that stands in a stored graph as it is; others are written with escapes there. */
const isPlain = (name: string): boolean => JSON.stringify(name) === `"${name}"`;

const inReach = ({ actor_id, user_ids, counts_hidden }: Search): SQL | undefined => {
  const isVisible = inArray(workflows.id, visibleIds(workflowShareable, actor_id));
  return counts_hidden ? or(isVisible, inArray(workflows.owner_id, [...user_ids])) : isVisible;
};

const columns = (actor_id: string) => ({
  id: workflows.id,
  name: workflows.name,
  owner_id: workflows.owner_id,
  is_visible: sql<boolean>`${workflows.id} IN ${visibleIds(workflowShareable, actor_id)}`,
});

/** Graphs that may name the credential: a search of the text finds too many. Those that the actor can see come first. */
function listCandidates(db: Db, search: Search, source: 'version' | 'draft') {
  const graphs = source === 'version' ? workflowVersions : workflowDrafts;
  const current = source === 'version' ? workflows.version_id : workflows.draft_id;
  const { id, name } = search.credential;
  const found = columns(search.actor_id);
  return db
    .select({ ...found, graph_id: sql<string>`${graphs.id}` })
    .from(workflows)
    .innerJoin(graphs, eq(graphs.id, current))
    .where(
      and(
        inReach(search),
        or(
          sql`strpos(lower(${graphs.nodes}), ${id}) > 0`,
          and(
            inArray(workflows.owner_id, [...search.user_ids]),
            sql`strpos(${graphs.nodes}, 'credentials') > 0`,
            isPlain(name) ? sql`strpos(${graphs.nodes}, ${name}) > 0` : undefined,
          ),
        ),
      ),
    )
    .orderBy(desc(found.is_visible), asc(workflows.id))
    .limit(MOST_GRAPHS + 1);
}

async function readNodes(db: Db, source: 'version' | 'draft', id: string): Promise<readonly WorkflowNode[]> {
  const graphs = source === 'version' ? workflowVersions : workflowDrafts;
  const [row] = await db.select({ nodes: graphs.nodes }).from(graphs).where(eq(graphs.id, id));
  return (row?.nodes ?? []) as readonly WorkflowNode[];
}

/** Reads the parameters of nodes that mention the credential, and of no others. Other requests get their turn in between. */
async function findUse(
  nodes: readonly WorkflowNode[],
  { id, name }: CredentialRow,
  isMeant: () => Promise<boolean>,
): Promise<boolean> {
  for (const node of nodes) {
    const text = JSON.stringify(node.data);
    const mentionsName = text.includes('credentials') && (!isPlain(name) || text.includes(name));
    if (!mentionsName && !text.toLowerCase().includes(id)) continue;
    await turn();
    const { ids, names } = findNodeCredentials(node, catalog);
    if (ids.includes(id)) return true;
    if (names.includes(name) && (await isMeant())) return true;
  }
  return false;
}

/** Whether the name means this credential in workflows of a person, as in their runs: one of their own counts first. */
function askMeaning(db: Db, { credential, user_ids }: Search): (user_id: string) => Promise<boolean> {
  const asked = new Map<string, Promise<boolean>>([[credential.owner_id, Promise.resolve(true)]]);
  const ask = async (user_id: string) => {
    if (!user_ids.includes(user_id)) return false;
    const [meant] = await resolveNames(db, user_id, [credential.name]);
    return meant?.id === credential.id;
  };
  return (user_id) => {
    const answer = asked.get(user_id) ?? ask(user_id);
    asked.set(user_id, answer);
    return answer;
  };
}

/** Workflows that would be published without the judge of their gate. */
const listGates = (db: Db, search: Search): Promise<Use[]> =>
  db
    .selectDistinct(columns(search.actor_id))
    .from(workflows)
    .innerJoin(publishGateSuites, eq(publishGateSuites.workflow_id, workflows.id))
    .where(and(inReach(search), eq(publishGateSuites.judge_credential_id, search.credential.id)));

/** Workflows whose nodes use the credential, published or as a draft, or whose gate judges with it. */
export async function findWorkflowUses(
  db: Db,
  search: Search,
): Promise<{ uses: readonly Use[]; has_more: boolean }> {
  const uses = new Map((await listGates(db, search)).map((gate) => [gate.id, gate]));
  const isMeant = askMeaning(db, search);
  let has_more = false;
  for (const source of ['version', 'draft'] as const) {
    const candidates = await listCandidates(db, search, source);
    has_more ||= candidates.length > MOST_GRAPHS;
    for (const candidate of candidates.slice(0, MOST_GRAPHS)) {
      if (uses.has(candidate.id)) continue;
      const nodes = await readNodes(db, source, candidate.graph_id);
      const isUsed = await findUse(nodes, search.credential, () => isMeant(candidate.owner_id));
      if (isUsed) uses.set(candidate.id, candidate);
    }
  }
  return { uses: [...uses.values()], has_more };
}
