import fs from 'node:fs';
import { register } from 'node:module';

// The conformance package names `globSync` of `fs` when it is loaded, which Node has from version 22 on. No scenario uses it.
if (!('globSync' in fs)) {
  const source = `export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = undefined;`;
  const hooks = `
    const ADDRESS = 'data:text/javascript,' + encodeURIComponent(${JSON.stringify(source)});
    export const resolve = (specifier, context, next) =>
      specifier === 'fs' && context.parentURL?.includes('/@modelcontextprotocol/conformance/')
        ? { url: ADDRESS, shortCircuit: true }
        : next(specifier, context);
  `;
  register(`data:text/javascript,${encodeURIComponent(hooks)}`);
}
