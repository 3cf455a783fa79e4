interface QuickNode {
  id: string;
  type: string;
  position: { x: number; y: number };
  data: Record<string, unknown>;
}

interface QuickEdge {
  id: string;
  source: string;
  target: string;
}

export interface QuickStart {
  name: 'blank' | 'api' | 'schedule';
  icon: string;
  family: 'trigger' | 'flow' | 'data' | 'output' | 'network';
  nodes: QuickNode[];
  edges: QuickEdge[];
}

const node = (id: string, type: string, place: number, data: Record<string, unknown>): QuickNode => ({
  id,
  type,
  position: { x: 80 + place * 300, y: 160 },
  data: { label: id, ...data },
});

function chain(nodes: QuickNode[]): Pick<QuickStart, 'nodes' | 'edges'> {
  const edges = nodes.slice(1).map((target, index) => {
    const source = nodes[index]?.id ?? '';
    return { id: `${source}-${target.id}`, source, target: target.id };
  });
  return { nodes, edges };
}

/** Beginnings that a new workflow can take. */
export const QUICK_STARTS: readonly QuickStart[] = [
  { name: 'blank', icon: 'workflow', family: 'flow', nodes: [], edges: [] },
  {
    name: 'api',
    icon: 'globe',
    family: 'network',
    ...chain([
      node('request', 'textInput', 0, { value: '', inputFields: [{ key: 'name', defaultValue: 'world' }] }),
      node('answer', 'jsonOutputMapper', 1, {
        mappings: [{ key: 'greeting', value: '"Hello " + $request.name' }],
      }),
    ]),
  },
  {
    name: 'schedule',
    icon: 'clock',
    family: 'trigger',
    ...chain([
      node('everyHour', 'cron', 0, { cronExpression: '0 * * * *' }),
      node('checkSite', 'http', 1, { curl: 'curl -X GET https://example.com' }),
      node('report', 'output', 2, { message: '$checkSite.status' }),
    ]),
  },
];
