import { Radio } from 'lucide-react';
import type { Place } from '../../lib/place.ts';

export const triggers: Place = {
  group: 'run',
  icon: Radio,
  key: 'e',
};
