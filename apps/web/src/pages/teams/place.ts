import { UsersRound } from 'lucide-react';
import type { Place } from '../../shell/places/place.ts';

export const teams: Place = {
  group: 'admin',
  icon: UsersRound,
  key: 'm',
};
