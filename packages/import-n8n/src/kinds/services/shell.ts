/** One argument of the command, as a shell reads it. */
export const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The command takes an expression as it is, so that a quote in one cannot be written as a shell wants it. */
export const withoutQuotes = (code: string): string => code.replaceAll("'", String.raw`\u0027`);
