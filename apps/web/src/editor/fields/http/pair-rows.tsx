import type { Pair } from '@millrace/nodes/curl-form';
import { Button } from '../../../ui/actions/button.tsx';
import { RowList } from '../row-list.tsx';
import type { FieldContext } from './field-context.ts';
import { NamedValue } from './named-value.tsx';
import { useHttpTexts } from './texts/use-http-texts.ts';

interface PairRowsProps {
  context: FieldContext;
  title: string;
  rows: readonly Pair[];
  /** Names of the fields of a row. */
  labels: { name: (row: number) => string; value: (row: number) => string };
  onChange: (rows: Pair[]) => void;
}

const EMPTY: Pair = { name: '', value: '', raw: false };

/** A changed pair is written anew. */
const changed = ({ name, value, raw }: Pair, change: Partial<Pair>): Pair => ({
  name,
  value,
  raw,
  ...change,
});

/** Parameters of a query or of a form body. */
export function PairRows({ context, title, rows, labels, onChange }: PairRowsProps) {
  const t = useHttpTexts();
  return (
    <RowList
      title={title}
      rows={rows}
      empty={EMPTY}
      onChange={onChange}
      draw={(pair, index, change) => (
        <NamedValue
          context={context}
          row={pair}
          labels={{ name: labels.name(index + 1), value: labels.value(index + 1) }}
          onChange={(part) => change(changed(pair, part))}
        >
          {pair.raw ? (
            <p className="flex items-center justify-between gap-2 text-sm text-faint">
              {t('as_is')}
              <Button size="small" tone="quiet" onClick={() => change(changed(pair, { raw: false }))}>
                {t('encode')}
              </Button>
            </p>
          ) : null}
        </NamedValue>
      )}
    />
  );
}
