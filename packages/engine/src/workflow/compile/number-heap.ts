/** Smallest number first. */
export class NumberHeap {
  readonly #items: number[] = [];

  push(value: number): void {
    const items = this.#items;
    let at = items.length;
    items.push(value);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent] ?? value;
      if (above <= value) break;
      items[at] = above;
      at = parent;
    }
    items[at] = value;
  }

  pop(): number | undefined {
    const items = this.#items;
    const smallest = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return smallest;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if ((items[child + 1] ?? Infinity) < (items[child] ?? Infinity)) child++;
      const below = items[child] ?? Infinity;
      if (below >= last) break;
      items[at] = below;
      at = child;
    }
    items[at] = last;
    return smallest;
  }
}
