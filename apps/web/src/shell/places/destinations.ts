import type { Place } from '../../lib/place.ts';
import { places } from './places.generated.ts';

export type Destination = (typeof places)[number];
export type DestinationName = Destination['name'];

interface DestinationGroup {
  readonly name: Place['group'];
  readonly items: readonly Destination[];
}

const GROUPS: readonly Place['group'][] = ['build', 'run', 'connect', 'admin'];

/** The places of the app, grouped as the sidebar shows them. */
export const DESTINATIONS: readonly DestinationGroup[] = GROUPS.map((name) => ({
  name,
  items: places.filter(({ group }) => group === name),
}));
