import type { Json } from '@millrace/engine';
import type { Choice, ChoicePage, ChoiceRequest } from '../../implement.ts';

const PAGE_SIZE = 50;

interface Found {
  readonly value?: Json | undefined;
  readonly label?: Json | undefined;
  readonly hint?: string;
  readonly capabilities?: NonNullable<Choice['capabilities']>;
}

/** A page of what a service listed as a whole, for services that neither search nor page themselves. */
export function choicesFrom<Item>(
  items: readonly Item[],
  { search, cursor }: ChoiceRequest,
  describe: (item: Item) => Found,
): ChoicePage {
  const words = search.trim().toLowerCase();
  const all = items
    .map(describe)
    .flatMap(toChoices)
    .filter(({ label, value, hint }) =>
      [label, value, hint ?? ''].some((text) => text.toLowerCase().includes(words)),
    );
  const start = Math.max(Number.parseInt(cursor ?? '0', 10) || 0, 0);
  const end = start + PAGE_SIZE;
  return { items: all.slice(start, end), next_cursor: end < all.length ? String(end) : null };
}

/** An entry without an id cannot be chosen; one without a name is shown by its id. */
function toChoices({ value, label, hint, capabilities }: Found): Choice[] {
  if (typeof value !== 'string' && typeof value !== 'number') return [];
  const text = String(value);
  const name = typeof label === 'string' && label !== '' ? label : text;
  return [
    {
      value: text,
      label: name,
      ...(hint === undefined || hint === '' ? {} : { hint }),
      ...(capabilities ? { capabilities } : {}),
    },
  ];
}
