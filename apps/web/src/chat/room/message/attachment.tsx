/** @jsxImportSource preact */
import { parseFile } from '@millrace/contracts/portal-input';
import { isPicture } from '@millrace/contracts/portal-text';
import { useMemo } from 'preact/hooks';
import { byteText } from '../../../ui/display/byte-text.ts';
import { isEmptied } from '../../conversation/fields.ts';
import { Icon } from '../../icon.tsx';
import { Picture } from '../../markdown/picture.tsx';
import { locale, t } from '../../texts.ts';

/** A file of a message: a picture as such, anything else by type and size. */
export function FileView({ value, name }: { value: string; name: string }) {
  if (isPicture(value)) return <Picture src={value} name={name} />;
  const file = parseFile(value);
  const size = file ? (isEmptied(value) ? t('file_not_kept') : byteText(file.bytes, locale)) : '';
  return (
    <span class="file">
      <Icon name="file" />
      <span>
        {name}
        {file ? <small>{[file.media_type, size].join(', ')}</small> : null}
      </span>
    </span>
  );
}

interface AttachmentProps {
  name: string;
  value: string;
  /** Share that is read, 0 to 1; undefined when all of it is. */
  read: number | undefined;
  onRemove: () => void;
}

/** A file that is attached to the message being written. */
export function Attachment({ name, value, read, onRemove }: AttachmentProps) {
  // Megabytes to look through, and the box is drawn with every letter that is typed.
  const isShown = useMemo(() => isPicture(value), [value]);
  return (
    <span class="attachment">
      {isShown ? <img src={value} alt="" /> : <Icon name="file" />}
      <span class="attachment-name" dir="auto">
        {name}
      </span>
      {read === undefined ? null : <progress value={read} max={1} aria-label={t('reading', { name })} />}
      <button
        type="button"
        class="icon-button"
        aria-label={t('remove_file', { name })}
        title={t('remove_file', { name })}
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
    </span>
  );
}
