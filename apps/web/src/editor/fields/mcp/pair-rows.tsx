import { isJsonObject, type Json, type JsonObject, readJsonText } from '@millrace/engine';
import { useState } from 'react';
import { toText } from '../../../lib/json/to-text.ts';
import { Input } from '../../../ui/forms/input.tsx';
import { usePanelTexts } from '../../panel/texts/use-panel-texts.ts';
import { ExpressionInput } from '../expression/expression-input.tsx';
import { RowList } from '../row-list.tsx';

interface Pair {
  readonly name: string;
  readonly value: string;
}

/** Stored as an object, or as its JSON text in exports. */
function storedPairs(value: Json | undefined): JsonObject {
  const pairs = typeof value === 'string' ? readJsonText(value) : value;
  return isJsonObject(pairs) ? pairs : {};
}

const toRows = (pairs: JsonObject): Pair[] =>
  Object.entries(pairs).map(([name, value]) => ({ name, value: toText(value) }));

const toObject = (rows: readonly Pair[]): JsonObject =>
  Object.fromEntries(rows.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name, value]));

interface PairRowsProps {
  node_id: string;
  title: string;
  value: Json | undefined;
  onChange: (pairs: JsonObject) => void;
  onBlur: () => void;
}

/** Names with values that may be expressions, such as headers. */
export function PairRows({ node_id, title, value, onChange, onBlur }: PairRowsProps) {
  const t = usePanelTexts('fields');
  const pairs = storedPairs(value);
  const [rows, setRows] = useState(() => toRows(pairs));
  // A row without a name is not stored; what is changed elsewhere, such as by undo, replaces the rows.
  if (JSON.stringify(toObject(rows)) !== JSON.stringify(toObject(toRows(pairs)))) setRows(toRows(pairs));
  return (
    <RowList
      title={title}
      rows={rows}
      empty={{ name: '', value: '' }}
      onChange={(next) => {
        setRows(next);
        onChange(toObject(next));
      }}
      draw={(row, index, set) => (
        <div className="flex flex-col gap-1">
          <Input
            aria-label={t('key_of_row', { row: index + 1 })}
            placeholder={t('key')}
            value={row.name}
            onChange={(event) => set({ ...row, name: event.target.value })}
            onBlur={onBlur}
          />
          <ExpressionInput
            node_id={node_id}
            label={t('value_of_row', { row: index + 1 })}
            placeholder={t('value')}
            value={row.value}
            mode="prompt"
            onChange={(text) => set({ ...row, value: text })}
            onBlur={onBlur}
          />
        </div>
      )}
    />
  );
}
