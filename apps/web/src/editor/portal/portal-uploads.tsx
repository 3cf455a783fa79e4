import type { PortalFileConfig } from '@millrace/contracts';
import { Input } from '../../ui/forms/input.tsx';
import { Checkbox, Switch } from '../../ui/forms/toggles.tsx';
import { usePortalTexts } from './texts/use-portal-texts.ts';

type FileSetting = PortalFileConfig[string];

const INITIAL: FileSetting = { file_upload_enabled: false, allowed_types: ['text'], max_size_mb: 5 };

interface PortalUploadsProps {
  /** Names of the input fields of the chat. */
  fields: readonly string[];
  enabled: boolean;
  config: PortalFileConfig;
  onEnable: (enabled: boolean) => void;
  onConfigure: (config: PortalFileConfig) => void;
}

/** Which fields of the chat take a text file, and how large it may be (§2.1). */
export function PortalUploads({ fields, enabled, config, onEnable, onConfigure }: PortalUploadsProps) {
  const t = usePortalTexts();
  const set = (field: string, part: Partial<FileSetting>) =>
    onConfigure({ ...config, [field]: { ...INITIAL, ...config[field], ...part } });
  return (
    <div className="flex flex-col gap-2">
      <Switch checked={enabled} onChange={onEnable} label={t('uploads')} hint={t('uploads_hint')} />
      {enabled && fields.length === 0 ? <p className="text-sm text-faint">{t('uploads_no_fields')}</p> : null}
      {enabled ? (
        <ul className="flex flex-col gap-2">
          {fields.map((field) => {
            const { file_upload_enabled, max_size_mb } = config[field] ?? INITIAL;
            return (
              <li key={field} className="grid grid-cols-[minmax(120px,1fr)_8rem_auto] items-center gap-2">
                <Checkbox
                  label={field}
                  checked={file_upload_enabled}
                  onChange={(next) => set(field, { file_upload_enabled: next })}
                />
                <Input
                  aria-label={t('upload_limit_of', { field })}
                  type="number"
                  min={1}
                  disabled={!file_upload_enabled}
                  defaultValue={max_size_mb}
                  onChange={(event) => {
                    const size = Number(event.target.value);
                    if (size > 0) set(field, { max_size_mb: size });
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
