import type { Masker, TextMask } from '@millrace/engine';
import type { GrowingText } from '@millrace/nodes/runtime';
import { type Frame, type TextPlace, tokenFrame } from './frames.ts';

/** Where the secrets are known that a text must not show; there may be more of them later. */
export interface TextSecrets {
  readonly masker: Masker | undefined;
}

interface Readers {
  readonly isFollowed: () => boolean;
  readonly tell: (frame: Frame) => void;
}

/** One text of one step. Nothing is masked or sent while there is no reader; one that comes later gets the text so far. */
class OpenText implements GrowingText {
  readonly #place: TextPlace;
  readonly #secrets: TextSecrets;
  readonly #readers: Readers;
  readonly #onEnd: (text: OpenText) => void;
  #pieces = '';
  /** How much of it the mask has read. */
  #read = 0;
  #mask: TextMask | undefined;
  #masker: Masker | undefined;
  #shown = '';

  constructor(
    of: { place: TextPlace; secrets: TextSecrets; readers: Readers },
    onEnd: (text: OpenText) => void,
  ) {
    this.#place = of.place;
    this.#secrets = of.secrets;
    this.#readers = of.readers;
    this.#onEnd = onEnd;
    this.#masker = of.secrets.masker;
    this.#mask = this.#masker?.textMask();
  }

  add(piece: string): void {
    this.#pieces += piece;
    if (this.#readers.isFollowed()) this.#tell(this.#masked());
  }

  restart(): void {
    this.#pieces = '';
    this.#begin();
  }

  end(): void {
    this.#onEnd(this);
    if (this.#readers.isFollowed()) this.#tell(this.#masked() + (this.#mask?.end() ?? ''));
  }

  /** All that can be shown by now. */
  get frame(): Frame | undefined {
    this.#tell(this.#masked());
    return this.#shown === '' ? undefined : tokenFrame(this.#place, 0, this.#shown);
  }

  #begin(): void {
    this.#masker = this.#secrets.masker;
    this.#mask = this.#masker?.textMask();
    this.#read = 0;
    if (this.#shown === '') return;
    this.#shown = '';
    if (this.#readers.isFollowed()) this.#readers.tell(tokenFrame(this.#place, 0, ''));
  }

  #masked(): string {
    // A secret that became known meanwhile may have begun in what was shown: the text is sent anew.
    if (this.#masker !== this.#secrets.masker) this.#begin();
    const piece = this.#pieces.slice(this.#read);
    this.#read = this.#pieces.length;
    return this.#mask ? this.#mask.add(piece) : piece;
  }

  #tell(text: string): void {
    if (text === '') return;
    const offset = this.#shown.length;
    this.#shown += text;
    // `frame` sends readers what was written before they came.
    if (this.#readers.isFollowed()) this.#readers.tell(tokenFrame(this.#place, offset, text));
  }
}

/** The texts that models write in a run at this moment. */
export class GrowingTexts {
  readonly #readers: Readers;
  readonly #open = new Set<OpenText>();

  constructor(readers: Readers) {
    this.#readers = readers;
  }

  begin(place: TextPlace, secrets: TextSecrets): GrowingText {
    const of = { place, secrets, readers: this.#readers };
    const text = new OpenText(of, (ended) => this.#open.delete(ended));
    this.#open.add(text);
    return text;
  }

  /** For a reader that comes now: each text so far. */
  frames(): Frame[] {
    return Array.from(this.#open).flatMap(({ frame }) => frame ?? []);
  }
}
