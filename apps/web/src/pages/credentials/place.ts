import { KeyRound } from 'lucide-react';
import type { Place } from '../../lib/place.ts';

export const credentials: Place = {
  group: 'connect',
  icon: KeyRound,
  key: 'c',
};
