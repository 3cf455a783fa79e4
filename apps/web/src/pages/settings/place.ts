import { Settings } from 'lucide-react';
import type { Place } from '../../lib/place.ts';

export const settings: Place = {
  group: 'admin',
  icon: Settings,
  key: 's',
};
