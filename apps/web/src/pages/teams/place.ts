import { UsersRound } from 'lucide-react';
import type { Place } from '../../lib/place.ts';

export const teams: Place = {
  group: 'admin',
  icon: UsersRound,
  key: 'm',
};
