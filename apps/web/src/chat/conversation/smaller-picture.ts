/** Longest side in pixels that models of language look at; more is made smaller by them. */
const LONGEST = 1_568;
const QUALITIES = [0.85, 0.7, 0.5];
/** The type of every picture that was made smaller. */
export const SMALLER_TYPE = 'image/jpeg';

/** A photo with fewer pixels and bytes; undefined for what is no picture, or cannot be made small enough. */
export async function smaller(file: File, max_bytes: number): Promise<Blob | undefined> {
  if (!/^image\/(png|jpeg|webp|bmp|avif)$/.test(file.type)) return undefined;
  try {
    const picture = await createImageBitmap(file);
    const share = Math.min(1, LONGEST / Math.max(picture.width, picture.height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(picture.width * share));
    canvas.height = Math.max(1, Math.round(picture.height * share));
    const context = canvas.getContext('2d');
    if (!context) return undefined;
    // A JPEG has no transparency; what was transparent would be black.
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    picture.close();
    for (const quality of QUALITIES) {
      const blob = await new Promise<Blob | null>((made) => canvas.toBlob(made, SMALLER_TYPE, quality));
      if (blob && blob.size <= max_bytes) return blob;
    }
  } catch {
    // Browsers do not read every picture.
  }
  return undefined;
}
