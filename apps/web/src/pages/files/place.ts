import { Files } from 'lucide-react';
import type { Place } from '../../lib/place.ts';

export const files: Place = {
  group: 'build',
  icon: Files,
  key: 'f',
};
