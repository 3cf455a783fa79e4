import { type FieldMeta, field } from '@millrace/engine';
import { numeric } from '../../kit/values/numeric.ts';

const shown = (...ways: readonly string[]): Pick<FieldMeta, 'shown_when'> => ({
  shown_when: [
    { field: 'responseBody', is: ['read'] },
    { field: 'pagination', is: ways },
  ],
});

const ALL = shown('link', 'next', 'token', 'page', 'offset');
const WITH_PARAMETER = shown('token', 'page', 'offset');
const COUNTED = shown('page', 'offset');

/** Parameters for an answer that comes in pages; only for bodies that are read. */
export const pageFields = {
  pagination: field
    .choice('Pagination', ['off', 'link', 'next', 'token', 'page', 'offset'], {
      choices: [
        { value: 'off', title: 'Only this request' },
        { value: 'link', title: 'Follow the Link header' },
        { value: 'next', title: 'Follow an address in the response' },
        { value: 'token', title: 'Send a value of the response with the next request' },
        { value: 'page', title: 'Count up a page number' },
        { value: 'offset', title: 'Count up an offset' },
      ],
      help: 'Requests the pages of a list one after another and joins them.',
      shown_when: [{ field: 'responseBody', is: ['read'] }],
    })
    .default('off'),
  paginationNext: field
    .text('Next page in the response', {
      placeholder: 'meta.next',
      when_empty: 'Enter the field of the response, such as meta.next',
      help: 'The field with the address or value. The last page has none there, or an empty one.',
      ...shown('next', 'token'),
    })
    .default(''),
  paginationParameter: field
    .text('Parameter', {
      placeholder: 'page',
      when_empty: 'Enter the name of the parameter, such as page',
      help: 'Numbers count up from the value that the request has, such as page=1.',
      ...WITH_PARAMETER,
    })
    .default(''),
  paginationIn: field
    .choice('Parameter location', ['query', 'body'], {
      choices: [
        { value: 'query', title: 'Address' },
        { value: 'body', title: 'Body, as JSON or a form' },
      ],
      ...WITH_PARAMETER,
    })
    .default('query'),
  paginationItems: field
    .text('List in the response', {
      placeholder: 'data.items',
      help: 'The field with the entries. Empty when the response is the list itself.',
      ...ALL,
    })
    .default(''),
  paginationOutput: field
    .choice('Result', ['entries', 'pages'], {
      choices: [
        { value: 'entries', title: 'One list with the entries of all pages' },
        { value: 'pages', title: 'A list of the responses' },
      ],
      ...ALL,
    })
    .default('entries'),
  paginationStep: numeric('Step', {
    min: 0,
    max: 1_000_000,
    integer: true,
    help: 'Zero: as many as the page has entries.',
    ...shown('offset'),
  }).default(0),
  paginationEnd: field
    .text('Statuses that end the list', {
      placeholder: '404',
      help: 'Separated by commas. An empty list always ends it.',
      ...COUNTED,
    })
    .default('404'),
  paginationLimit: numeric('Maximum number of pages', {
    min: 1,
    max: 10_000,
    integer: true,
    help: 'has_more of the output says whether the list was cut off here.',
    ...ALL,
  }).default(100),
  paginationPause: numeric('Seconds between pages', { min: 0, max: 60, ...ALL }).default(0),
};
