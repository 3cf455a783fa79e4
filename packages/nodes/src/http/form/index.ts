export {
  type Auth,
  type CurlForm,
  credentialIn,
  credentialText,
  type FormBody,
  type HeaderRow,
  type Pair,
  type PartRow,
  type TextOnly,
} from './curl-form.ts';
export { printForm } from './print.ts';
export { type FormReading, readForm } from './read.ts';
