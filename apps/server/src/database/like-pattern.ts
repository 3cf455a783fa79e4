/** Pattern of `LIKE` for texts that contain this one; its `%` and `_` mean themselves. */
export const likePattern = (text: string): string =>
  `%${text.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
