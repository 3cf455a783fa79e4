import type { z } from 'zod';
import { type Translate, translateCredential, translatedParts } from '../credential/translate.ts';
import { createCatalog } from './catalog.ts';
import type { Catalog, NodeDefinition } from './define-node.ts';
import { type FieldMeta, fieldMeta } from './fields.ts';

function translatedMeta(meta: FieldMeta, translate: Translate): FieldMeta {
  const text = (words: string) => translate(words, 'text');
  const { choices, placeholder, row_fields } = meta;
  return {
    ...meta,
    ...translatedParts(meta, ['title', 'help', 'group', 'when_empty'], text),
    ...(placeholder === undefined ? {} : { placeholder: translate(placeholder, 'example') }),
    ...(row_fields
      ? {
          row_fields: Object.fromEntries(
            Object.entries(row_fields).map(([name, inner]) => [name, translatedMeta(inner, translate)]),
          ),
        }
      : {}),
    // A choice that is shown by its value is a technical name, such as GET.
    ...(choices
      ? {
          choices: choices.map((choice) =>
            choice.title === choice.value ? choice : { ...choice, title: text(choice.title) },
          ),
        }
      : {}),
  };
}

function translatedParam(schema: z.ZodType, translate: Translate): z.ZodType {
  const meta = fieldMeta(schema);
  return !meta || meta.kind === 'hidden' ? schema : schema.meta({ field: translatedMeta(meta, translate) });
}

/** A node type with the texts that people see in another language; what it does is the same. */
function translateNode(definition: NodeDefinition, translate: Translate): NodeDefinition {
  const { params } = definition;
  const shape = Object.fromEntries(
    Object.entries(params.shape).map(([name, schema]) => [
      name,
      translatedParam(schema as z.ZodType, translate),
    ]),
  );
  return {
    ...definition,
    title: translate(definition.title, 'text'),
    summary: translate(definition.summary, 'text'),
    params: params.clone({ ...params.def, shape }),
    credentials: definition.credentials.map((type) => translateCredential(type, translate)),
  };
}

export const translateCatalog = ({ all }: Catalog, translate: Translate): Catalog =>
  createCatalog(all.map((definition) => translateNode(definition, translate)));
