import { createWorkflow, expect, type Person } from './journey.ts';

/** A node whose label is its id. */
export const node = (id: string, type: string, data: object = {}) => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data: { label: id, ...data },
});
/** Nodes one after another. */
export const chain = (...nodes: ReturnType<typeof node>[]) => ({
  nodes,
  edges: nodes.slice(1).map((target, at) => {
    const source = nodes[at]?.id ?? '';
    return { id: `${source}-${target.id}`, source, target: target.id };
  }),
});

/** The start node with its `inputFields`. */
export const start = (
  ...keys: (string | { key: string; defaultValue: unknown; [more: string]: unknown })[]
) =>
  node('start', 'textInput', {
    inputFields: keys.map((key) => (typeof key === 'string' ? { key } : key)),
  });

let portals = 0;

export interface Portal {
  readonly id: string;
  readonly path: string;
}

/** Creates a workflow and opens its portal. */
export async function openPortal(
  person: Person,
  workflow: { name?: string; description?: string; nodes: unknown[]; edges: unknown[] },
  settings: object = {},
): Promise<Portal> {
  const { id } = await createWorkflow(person, {
    name: 'Help desk',
    description: 'Ask about your order.',
    ...workflow,
  });
  portals += 1;
  const portal_slug = `help-${portals}-${Date.now()}`;
  const { request } = person.context;
  const put = await request.put(`/api/workflows/${id}`, {
    data: { portal_enabled: true, portal_slug, ...settings },
  });
  expect(put.status(), await put.text()).toBe(200);
  return { id, path: `/chat/${portal_slug}` };
}
