const BASE64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The smallest picture: a PNG of one pixel. */
export const PIXEL = Buffer.from(BASE64, 'base64');
export const PIXEL_URL = `data:image/png;base64,${BASE64}`;
