import { SquareKanban } from 'lucide-react';
import type { Place } from '../../lib/place.ts';

export const boards: Place = {
  group: 'build',
  icon: SquareKanban,
  key: 'k',
};
