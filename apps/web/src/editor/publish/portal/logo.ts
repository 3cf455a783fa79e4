import { MAX_LOGO_CHARACTERS } from '@millrace/contracts';

/** Sides in pixels, the largest first: sharp on a phone where it has 52 points. */
const SIDES = [192, 128, 96, 64];

/** A picture made small enough to come with the first request of each visitor; undefined for what is no picture. */
export async function shrinkLogo(file: File): Promise<string | undefined> {
  try {
    const picture = await createImageBitmap(file);
    for (const side of SIDES) {
      const share = Math.min(1, side / Math.max(picture.width, picture.height));
      const canvas = document.createElement('canvas');
      canvas.width = Math.max(1, Math.round(picture.width * share));
      canvas.height = Math.max(1, Math.round(picture.height * share));
      canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
      const text = canvas.toDataURL('image/png');
      if (text.length <= MAX_LOGO_CHARACTERS) return text;
    }
  } catch {
    // Not every file that is called a picture is one.
  }
  return undefined;
}
