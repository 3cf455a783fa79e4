import { ScrollText } from 'lucide-react';
import type { Place } from '../../lib/place.ts';

export const audit: Place = {
  group: 'admin',
  icon: ScrollText,
  key: 'a',
};
