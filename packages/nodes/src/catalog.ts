// Every node definition. Browser-safe: imports definitions only.
import { type Catalog, createCatalog } from '@millrace/engine';
import { definitions } from './definitions.generated.ts';

export const catalog: Catalog = createCatalog(definitions);
