import { Plug } from 'lucide-react';
import type { Place } from '../../shell/places/place.ts';

export const mcp: Place = {
  group: 'connect',
  icon: Plug,
  key: 'p',
};
