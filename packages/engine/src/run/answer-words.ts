/** The beginning of a text that a service answered with, for the message of a failure; a page of HTML says nothing. */
export function answerWords(answer: string, most: number): string | undefined {
  const text = answer.trim();
  if (text === '' || text.startsWith('<')) return undefined;
  return text.length > most ? `${text.slice(0, most)}...` : text;
}
