import { type Expression, type Of, staticKey } from '../tree.ts';
import { Untranslatable } from '../value.ts';

/** Methods that change a date of JavaScript in place. */
const MOVE = /^set(?:UTC)?(?:FullYear|Year|Month|Date|Hours|Minutes|Seconds|Milliseconds|Time)$/;

interface Node {
  readonly type: string;
}

/** The names of a function, or of a block in it. */
interface Block {
  readonly names: Set<string>;
  readonly parent: Block | undefined;
  /** The function that it belongs to. */
  readonly owner: Node | undefined;
}

interface Visit {
  readonly node: Node;
  readonly block: Block;
  readonly isStatement: boolean;
}

/**
 * A constant is translated where it is used, which may be nowhere or in a function that runs several times, so a date can
 * only be moved by statements of the function that has made it. Throws `Untranslatable` for other moves.
 */
export function requireVisibleMoves(script: Expression): Expression {
  const moves: { name: string; block: Block }[] = [];
  const outermost: Block = { names: new Set(), parent: undefined, owner: undefined };
  const visits: Visit[] = [{ node: script, block: outermost, isStatement: false }];
  // Without recursion: chains of calls can be as long as a script.
  for (let visit = visits.pop(); visit !== undefined; visit = visits.pop()) {
    const { node, block, isStatement } = visit;
    const inner = openBlock(node, block);
    if (node.type === 'VariableDeclarator') {
      const { id } = node as unknown as { id: { name?: string } };
      if (id.name !== undefined) inner.names.add(id.name);
    }
    const moved = readMoved(node);
    if (moved !== undefined) {
      if (moved.type !== 'Identifier' || !isStatement) throw new Untranslatable(REFUSED);
      moves.push({ name: moved.name, block });
    }
    for (const child of listChildren(node))
      visits.push({ node: child, block: inner, isStatement: node.type === 'ExpressionStatement' });
  }
  // Names are complete only now.
  for (const { name, block } of moves) {
    if (findBlock(name, block)?.owner !== block.owner) throw new Untranslatable(REFUSED);
  }
  return script;
}

const REFUSED = 'a date may only be changed by a statement of the function that has made it';

function openBlock(node: Node, parent: Block): Block {
  if (/Function|^ObjectMethod$/.test(node.type)) return { names: new Set(), parent, owner: node };
  return node.type === 'BlockStatement' ? { names: new Set(), parent, owner: parent.owner } : parent;
}

function findBlock(name: string, from: Block): Block | undefined {
  let block: Block | undefined = from;
  while (block !== undefined && !block.names.has(name)) block = block.parent;
  return block;
}

/** The date that a call changes, unless the call has made it itself. */
function readMoved(node: Node): Of<'MemberExpression'>['object'] | undefined {
  if (!/^(?:Optional)?CallExpression$/.test(node.type)) return undefined;
  const { callee } = node as Of<'CallExpression'>;
  if (callee.type !== 'MemberExpression' && callee.type !== 'OptionalMemberExpression') return undefined;
  if (!MOVE.test(staticKey(callee) ?? '')) return undefined;
  return /^(?:New|Call|OptionalCall)Expression$/.test(callee.object.type) ? undefined : callee.object;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

const listChildren = (node: Node): Node[] => Object.values(node).flat().filter(isNode);
