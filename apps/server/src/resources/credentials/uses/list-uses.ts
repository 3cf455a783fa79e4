import type { CredentialUse } from '@millrace/contracts';
import { compileWorkflow, type WorkflowDocument } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { and, eq, inArray, or, sql } from 'drizzle-orm';
import type { Db } from '../../../database/database.ts';
import { workflowDrafts, workflows, workflowVersions } from '../../../database/schema/index.ts';
import type { Needs } from '../../../services.ts';
import { visibleIds, workflowShareable } from '../../shares/shareable.ts';
import type { CredentialRow } from '../queries.ts';
import { requireUsable } from '../service.ts';

/** Graphs of the workflows that the person can see which may name the credential: a search of the text finds too many. */
function readCandidates(db: Db, user_id: string, { id, owner_id }: CredentialRow) {
  const readGraphs = (
    graphs: typeof workflowVersions | typeof workflowDrafts,
    current: typeof workflows.version_id | typeof workflows.draft_id,
  ) =>
    db
      .select({ id: workflows.id, name: workflows.name, nodes: graphs.nodes })
      .from(workflows)
      .innerJoin(graphs, eq(graphs.id, current))
      .where(
        and(
          inArray(workflows.id, visibleIds(workflowShareable, user_id)),
          or(
            sql`strpos(lower(${graphs.nodes}), ${id}) > 0`,
            // A name means the credential for its owner; for others it may mean one of their own.
            and(eq(workflows.owner_id, owner_id), sql`strpos(${graphs.nodes}, 'credentials') > 0`),
          ),
        ),
      );
  return Promise.all([
    readGraphs(workflowVersions, workflows.version_id),
    readGraphs(workflowDrafts, workflows.draft_id),
  ]);
}

function namesCredential(nodes: unknown, { id, name }: CredentialRow): boolean {
  const compiled = compileWorkflow({ nodes, edges: [] } as unknown as WorkflowDocument, catalog);
  const isNamed = compiled.credential_names?.includes(name) === true;
  return (
    isNamed ||
    compiled.nodes.some(({ params }) => params.credentials.some(({ value }) => value.toLowerCase() === id))
  );
}

/** Which workflows use the credential, published or as a draft, so that a deletion can show what it breaks; only what the actor can see. */
export async function listCredentialUses(ctx: Needs<'db' | 'actor'>, id: string): Promise<CredentialUse[]> {
  const { credential } = await requireUsable(ctx, id);
  const candidates = (await readCandidates(ctx.db, ctx.actor.user_id, credential)).flat();
  const used = candidates.filter(({ nodes }) => namesCredential(nodes, credential));
  const names = new Map(used.map((workflow) => [workflow.id, workflow.name]));
  return Array.from(names, ([workflow_id, workflow_name]) => ({ workflow_id, workflow_name })).sort((a, b) =>
    a.workflow_name.localeCompare(b.workflow_name),
  );
}
