import { ChartColumn } from 'lucide-react';
import type { Place } from '../../shell/places/place.ts';

export const analytics: Place = {
  group: 'run',
  icon: ChartColumn,
  key: 'n',
};
