import type { DataColumn } from '@millrace/contracts';
import { X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useDebounced } from '../../lib/use-debounced.ts';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { buildFilter, type Condition, OPERATORS, type Operator, takesValue } from './filter.ts';
import { useDataTablesTexts } from './texts/use-data-tables-texts.ts';

interface FilterBarProps {
  columns: readonly DataColumn[];
  /** Must keep its identity or only set state: it is called whenever the filter is another one. */
  onFilter: (filter: Record<string, unknown>) => void;
}

/** One condition on one column, applied while it is typed. */
export function FilterBar({ columns, onFilter }: FilterBarProps) {
  const t = useDataTablesTexts();
  const [condition, setCondition] = useState<Condition>({ column: '', operator: 'contains', value: '' });
  const filter = JSON.stringify(useDebounced(buildFilter(columns, condition)));
  const tell = useRef(onFilter);
  tell.current = onFilter;
  const before = useRef('{}');
  useEffect(() => {
    if (before.current === filter) return;
    before.current = filter;
    tell.current(JSON.parse(filter) as Record<string, unknown>);
  }, [filter]);
  const column = columns.find(({ name }) => name === condition.column);
  const change = (part: Partial<Condition>) => setCondition((former) => ({ ...former, ...part }));
  const choose = (name: string) => {
    const type = columns.find((each) => each.name === name)?.type ?? 'string';
    const [first = 'eq'] = OPERATORS[type];
    change({
      column: name,
      operator: OPERATORS[type].includes(condition.operator) ? condition.operator : first,
    });
  };
  return (
    <>
      <Select
        fit
        size="small"
        aria-label={t('filter_column')}
        placeholder={t('filter')}
        value={condition.column === '' ? undefined : condition.column}
        choices={columns.map(({ name }) => ({ value: name, label: name }))}
        onChange={choose}
      />
      {column ? (
        <>
          <Select
            fit
            size="small"
            aria-label={t('filter_operator')}
            value={condition.operator}
            choices={OPERATORS[column.type].map((value) => ({ value, label: t(`operator_${value}`) }))}
            onChange={(operator: Operator) => change({ operator })}
          />
          {takesValue(condition.operator) ? (
            <Input
              autoFocus
              aria-label={t('filter_value')}
              placeholder={column.type === 'date' ? '2026-01-31' : undefined}
              className="!h-[var(--control-height-small)] !w-40"
              value={condition.value}
              onChange={(event) => change({ value: event.target.value })}
            />
          ) : null}
          <IconButton
            size="small"
            label={t('filter_none')}
            icon={<X aria-hidden />}
            onClick={() => setCondition({ column: '', operator: 'contains', value: '' })}
          />
        </>
      ) : null}
    </>
  );
}
