import { GraduationCap } from 'lucide-react';
import type { Place } from '../../shell/place.ts';

export const skills: Place = {
  group: 'connect',
  icon: GraduationCap,
  key: 'o',
};
