import frame from './en.json';
import places from './places/en.json';

export const messages = { ...frame, nav: { ...frame.nav, ...places } };
