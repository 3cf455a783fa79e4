import { mappingRows } from '../../lib/graph/rows.ts';
import { toText } from '../../lib/json/to-text.ts';
import { Input } from '../../ui/forms/input.tsx';
import { usePanelTexts } from '../panel/texts/use-panel-texts.ts';
import { ExpressionInput } from './expression/expression-input.tsx';
import { ExpressionPreview } from './expression/expression-preview.tsx';
import type { ParameterFieldProps } from './parameter-field-props.ts';
import { ParameterRows } from './row-list.tsx';

export function MappingsField(props: ParameterFieldProps) {
  const { node_id, meta, value, onBlur } = props;
  const t = usePanelTexts('fields');
  return (
    <ParameterRows
      field={props}
      rows={mappingRows(value)}
      empty={{ key: '', value: '' }}
      draw={(row, index, change) => (
        <div className="flex flex-col gap-1">
          <Input
            mono
            aria-label={t('key_of_row', { row: index + 1 })}
            placeholder={t('key')}
            value={row.key}
            onChange={(event) => change({ ...row, key: event.target.value })}
            onBlur={onBlur}
          />
          <ExpressionInput
            node_id={node_id}
            label={t('value_of_row', { row: index + 1 })}
            placeholder={t('value')}
            value={toText(row.value)}
            mode={meta.mode}
            onChange={(text) => change({ ...row, value: text })}
            onBlur={onBlur}
          />
          <ExpressionPreview node_id={node_id} text={toText(row.value)} mode={meta.mode} />
        </div>
      )}
    />
  );
}
