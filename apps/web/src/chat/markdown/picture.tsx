/** @jsxImportSource preact */
import { useRef } from 'preact/hooks';
import { Icon } from '../icon.tsx';
import { t } from '../texts.ts';

/** A picture that opens in full size. */
export function Picture({ src, name }: { src: string; name: string }) {
  const full = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button
        type="button"
        class="picture"
        aria-label={t('enlarge', { name })}
        onClick={() => full.current?.showModal()}
      >
        <img src={src} alt={name} />
      </button>
      <dialog ref={full} class="lightbox" aria-label={name}>
        <button
          type="button"
          class="icon-button"
          aria-label={t('close')}
          onClick={() => full.current?.close()}
        >
          <Icon name="close" />
        </button>
        <img src={src} alt={name} />
      </dialog>
    </>
  );
}
