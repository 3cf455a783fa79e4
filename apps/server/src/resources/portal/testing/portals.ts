import type { JsonObject, WorkflowDocument } from '@millrace/engine';
import type { TestUser } from '../../../testing/test-app.ts';
import { createWorkflow } from '../../executions/testing/workflows.ts';

/** A workflow with a portal. */
export interface TestPortal {
  readonly id: string;
  readonly slug: string;
  /** The endpoints of visitors. */
  readonly url: string;
  /** The endpoints of the owner. */
  readonly owner_url: string;
}

export async function createPortal(
  owner: TestUser,
  content: WorkflowDocument,
  settings: JsonObject = {},
): Promise<TestPortal> {
  const slug = `portal-${crypto.randomUUID()}`;
  const id = await createWorkflow(owner, content, { portal_enabled: true, portal_slug: slug, ...settings });
  return { id, slug, url: `/api/portal/${slug}`, owner_url: `/api/workflows/${id}/portal` };
}
