import { createHash } from 'node:crypto';
import { stringify } from 'safe-stable-stringify';
import type { Graph } from '../workflows/record.ts';

/**
 * The same for graphs that run alike: nodes without their place on the canvas, and edges, however a client orders
 * their keys.
 *
 * @returns SHA-256, hexadecimal
 */
export function contentHash({ nodes, edges }: Graph): string {
  const content = nodes.map(({ position: _position, ...node }) => node);
  return createHash('sha256')
    .update(stringify([content, edges]))
    .digest('hex');
}
