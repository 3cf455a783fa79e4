import type { Json } from '@millrace/engine';
import { Plus, Trash2 } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { usePanelTexts } from '../panel/texts/use-panel-texts.ts';
import type { ParameterFieldProps } from './parameter-field-props.ts';

interface RowListProps<Row> {
  title: string;
  help?: string | undefined;
  problem?: string | undefined;
  row_problems?: ReadonlyMap<number, string> | undefined;
  rows: readonly Row[];
  empty: Row;
  draw: (row: Row, index: number, change: (row: Row) => void) => ReactNode;
  onChange: (rows: Row[]) => void;
}

/** A list of rows with adding and removing, shared by every parameter that is a list. */
export function RowList<Row>({
  title,
  help,
  problem,
  row_problems,
  rows,
  empty,
  draw,
  onChange,
}: RowListProps<Row>) {
  const t = usePanelTexts('fields');
  const list = useRef<HTMLUListElement>(null);
  const add = () => {
    onChange([...rows, empty]);
    requestAnimationFrame(() =>
      list.current
        ?.querySelector<HTMLElement>('li:last-child :is(input, .cm-content, [role="combobox"])')
        ?.focus(),
    );
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1 text-sm font-medium">{title}</legend>
      <ul ref={list} className="flex flex-col gap-2">
        {rows.map((row, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a row has no identity but its place
          <li key={index} className="flex items-start gap-1.5">
            <div className="min-w-0 grow">
              {draw(row, index, (next) => onChange(rows.map((item, at) => (at === index ? next : item))))}
              {row_problems?.has(index) ? (
                <p className="mt-1 text-sm text-danger">{row_problems.get(index)}</p>
              ) : null}
            </div>
            <IconButton
              label={t('remove_row', { row: index + 1 })}
              icon={<Trash2 />}
              onClick={() => onChange(rows.filter((_, at) => at !== index))}
            />
          </li>
        ))}
      </ul>
      <Button size="small" tone="quiet" className="self-start" onClick={add}>
        <Plus aria-hidden />
        {t('add_row')}
      </Button>
      {problem ? <p className="text-sm text-danger">{problem}</p> : null}
      {help ? <p className="text-sm text-faint">{help}</p> : null}
    </fieldset>
  );
}

interface ParameterRowsProps<Row> extends Pick<RowListProps<Row>, 'rows' | 'empty' | 'draw'> {
  field: ParameterFieldProps;
}

/** The rows of a parameter that is a list, under its title and with its problems. */
export function ParameterRows<Row extends Json>({ field, ...list }: ParameterRowsProps<Row>) {
  const { meta, problem, row_problems, onChange } = field;
  return (
    <RowList
      title={meta.title}
      help={meta.help}
      problem={problem}
      row_problems={row_problems}
      onChange={onChange}
      {...list}
    />
  );
}
