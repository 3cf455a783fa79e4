import frame from './de.json';
import places from './places/de.json';

export const messages = { ...frame, nav: { ...frame.nav, ...places } };
