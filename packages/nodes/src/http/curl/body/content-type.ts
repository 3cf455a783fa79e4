/** Whether a body of the content type is JSON, in which values of expressions are escaped. */
export const isJsonType = (type: string | undefined): type is string =>
  type !== undefined && /^\s*application\/json\s*(?:;|$)/i.test(type);
