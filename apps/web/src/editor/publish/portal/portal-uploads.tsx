import type { PortalFileConfig } from '@millrace/contracts';
import type { PortalField } from '@millrace/contracts/portal-input';
import { Input } from '../../../ui/forms/input.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { Checkbox, Switch } from '../../../ui/forms/toggles.tsx';
import { usePortalTexts } from './texts/use-portal-texts.ts';

type FileSetting = PortalFileConfig[string];

const INITIAL: FileSetting = { file_upload_enabled: false, allowed_types: ['text'], max_size_mb: 5 };

const FILES: FileSetting = {
  file_upload_enabled: true,
  allowed_types: ['text', 'image', 'pdf'],
  max_size_mb: 5,
};

const TYPES = {
  text: ['text'],
  image: ['image'],
  pdf: ['pdf'],
  documents: ['text', 'image', 'pdf'],
  any: ['any'],
} as const;
type TypesName = keyof typeof TYPES;
const TYPE_NAMES: readonly TypesName[] = ['text', 'image', 'pdf', 'documents', 'any'];

/** The choice for these types; a list that was set through the API may be none of them. */
const typesName = (types: readonly string[]): TypesName | undefined =>
  TYPE_NAMES.find(
    (name) => TYPES[name].length === types.length && TYPES[name].every((type) => types.includes(type)),
  );

interface PortalUploadsProps {
  /** Input fields of the chat. */
  fields: readonly PortalField[];
  enabled: boolean;
  config: PortalFileConfig;
  onEnable: (enabled: boolean) => void;
  onConfigure: (config: PortalFileConfig) => void;
}

/** Which fields of the chat take files, of which types and how large (§2.1). A field of text takes texts alone. */
export function PortalUploads({ fields, enabled, config, onEnable, onConfigure }: PortalUploadsProps) {
  const t = usePortalTexts();
  const typeChoices = TYPE_NAMES.map((value) => ({ value, label: t(`type_${value}`) }));
  return (
    <div className="flex flex-col gap-2">
      <Switch checked={enabled} onChange={onEnable} label={t('uploads')} hint={t('uploads_hint')} />
      {enabled && fields.length === 0 ? <p className="text-sm text-faint">{t('uploads_no_fields')}</p> : null}
      {enabled ? (
        <ul className="flex flex-col gap-2">
          {fields.map(({ key: field, type }) => {
            const initial = type === 'file' ? FILES : INITIAL;
            const { file_upload_enabled, max_size_mb, allowed_types } = config[field] ?? initial;
            const set = (part: Partial<FileSetting>) =>
              onConfigure({ ...config, [field]: { ...initial, ...config[field], ...part } });
            return (
              <li
                key={field}
                className="grid grid-cols-[minmax(90px,1fr)_9rem_4.5rem_auto] items-center gap-2"
              >
                <Checkbox
                  label={field}
                  checked={file_upload_enabled}
                  onChange={(next) => set({ file_upload_enabled: next })}
                />
                <Select
                  aria-label={t('upload_types_of', { field })}
                  value={typesName(allowed_types)}
                  disabled={!file_upload_enabled || type !== 'file'}
                  onChange={(name) => set({ allowed_types: [...TYPES[name]] })}
                  choices={typeChoices}
                />
                <Input
                  aria-label={t('upload_limit_of', { field })}
                  type="number"
                  min={1}
                  disabled={!file_upload_enabled}
                  defaultValue={max_size_mb}
                  onChange={(event) => {
                    const size = Number(event.target.value);
                    if (size > 0) set({ max_size_mb: size });
                  }}
                />
                <span className="text-sm text-soft" aria-hidden>
                  MB
                </span>
              </li>
            );
          })}
        </ul>
      ) : null}
    </div>
  );
}
