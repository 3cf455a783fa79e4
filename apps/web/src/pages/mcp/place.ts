import { Plug } from 'lucide-react';
import type { Place } from '../../shell/place.ts';

export const mcp: Place = {
  group: 'connect',
  icon: Plug,
  key: 'p',
};
