import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';

/** A card of the editor, with the line of a run below its label. */
export const CARD_WIDTH = 220;
const CARD_HEIGHT = 80;
const GAP = 32;
/** Cards of n8n are 96 wide with names below them, and their canvas has a grid of about 200. */
const STRETCH = 1.4;

interface Card {
  readonly node: JsonObject;
  readonly x: number;
  y: number;
  readonly height: number;
}

/**
 * Nodes at places where no card covers another: further apart from left to right, and moved down where that is not enough. Notes
 * become wider, so that they still frame what they did.
 */
export function placeCards(nodes: readonly JsonObject[]): JsonObject[] {
  const cards = nodes.map((node): Card => {
    const { x, y } = readPosition(node);
    return { node, x: Math.round(x * STRETCH), y, height: measureHeight(node) };
  });
  const columns = new Columns();
  const inOrder = cards.filter(({ node }) => !isNote(node)).toSorted((one, two) => one.y - two.y);
  for (const card of inOrder) columns.place(card);
  return cards.map(({ node, x, y }) => ({ ...node, ...widened(node), position: { x, y } }));
}

const isNote = ({ type }: JsonObject): boolean => type === 'sticky';

function widened(node: JsonObject): JsonObject {
  const data = getData(node);
  const width = data['stickyWidth'];
  if (!isNote(node) || typeof width !== 'number') return {};
  return { data: { ...data, stickyWidth: Math.min(Math.round(width * STRETCH), MOST_WIDTH) } };
}

const MOST_WIDTH = 10_000;
const getData = ({ data }: JsonObject): JsonObject => (isJsonObject(data) ? data : {});

function readPosition({ position }: JsonObject): { x: number; y: number } {
  const { x, y } = isJsonObject(position) ? position : {};
  return { x: coordinate(x), y: coordinate(y) };
}

/** Far away, numbers are too coarse for cards beside each other. */
const FURTHEST = 1_000_000;
const coordinate = (value: Json | undefined): number =>
  typeof value === 'number' ? Math.min(Math.max(Math.round(value), -FURTHEST), FURTHEST) : 0;

/** Rows of names of inputs, and of buttons of outputs, make a card higher. */
export function measureHeight(node: JsonObject): number {
  const { cases, inputCount } = getData(node);
  const outputs = node['type'] === 'switch' && Array.isArray(cases) ? cases.length : 0;
  const inputs = node['type'] === 'merge' && typeof inputCount === 'number' ? inputCount : 0;
  // After the cases come the outputs of all others and of errors, and one more row is the space around them.
  return Math.max(CARD_HEIGHT, inputs * 22, outputs > 0 ? (outputs + 3) * 20 : 0);
}

/** Cards by the columns that their left edges are in. Those of one column are never beside each other. */
class Columns {
  readonly #columns = new Map<number, Card[]>();

  /** Moves a card down to the first place that is free. */
  place(card: Card): void {
    const index = Math.floor(card.x / COLUMN);
    const near = [index - 1, index, index + 1].map((column) => this.#columns.get(column) ?? []);
    let isMoved = true;
    while (isMoved) {
      isMoved = false;
      for (const column of near) {
        for (let at = firstBelow(column, card.y); at < column.length; at++) {
          const other = column[at];
          if (other === undefined || other.y >= card.y + card.height + GAP) break;
          if (Math.abs(other.x - card.x) >= COLUMN) continue;
          card.y = other.y + other.height + GAP;
          isMoved = true;
        }
      }
    }
    const own = this.#columns.get(index);
    if (own === undefined) this.#columns.set(index, [card]);
    else own.splice(firstBelow(own, card.y), 0, card);
  }
}

const COLUMN = CARD_WIDTH + GAP;

/** The index of the first card that ends below a place; cards of a column are in order and apart. */
function firstBelow(column: readonly Card[], y: number): number {
  let [low, high] = [0, column.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const card = column[middle];
    if (card !== undefined && card.y + card.height + GAP <= y) low = middle + 1;
    else high = middle;
  }
  return low;
}
