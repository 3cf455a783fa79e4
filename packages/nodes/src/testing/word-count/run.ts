import { implement } from '../../implement.ts';
import { wordCount } from './definition.ts';

export const runWordCount = implement(wordCount, ({ params }) => ({
  output: { words: params.text.split(/\s+/).filter((word) => word !== '').length },
}));
