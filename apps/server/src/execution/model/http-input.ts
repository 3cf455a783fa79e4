import type { Json, JsonObject } from '@millrace/engine';

/** The input that a run is started with; expressions read it as `$input` (§4.1 rule 3, §6.2). */
export interface HttpInput extends JsonObject {
  headers: JsonObject;
  query: JsonObject;
  body: Json;
}
