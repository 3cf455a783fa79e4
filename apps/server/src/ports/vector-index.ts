import type { Json, JsonObject } from '@millrace/engine';
import type { Caller } from '@millrace/nodes/runtime';
import type { ResolvedCredential } from './run/run-secrets.ts';

/** A text with its vector. */
export interface VectorPoint {
  /** A UUID; a point with the same id is replaced. */
  readonly id: string;
  readonly vector: readonly number[];
  readonly text: string;
  readonly metadata: JsonObject;
}

export interface StoredPoint extends Omit<VectorPoint, 'vector'> {
  /** Absent where it was not asked for. */
  readonly vector?: readonly number[];
}

export interface FoundPoint extends Omit<VectorPoint, 'vector'> {
  /** Cosine similarity, 1 for the same direction. */
  readonly score: number;
}

/** Points whose metadata have every value; a list stands for any of its values. Empty: all points. */
export type MetadataFilter = Readonly<Record<string, FilterValue | readonly FilterValue[]>>;
export type FilterValue = Exclude<Json, object | null>;

export interface PointPage {
  readonly points: readonly StoredPoint[];
  /** Null behind the last page. */
  readonly next: string | null;
}

/**
 * One collection of vectors of the same length. What its server refuses fails with `NodeFailure` in plain words; a database
 * that is away fails with the error of its driver.
 */
export interface VectorIndex {
  /** Whether only this service can reach the collection, so that it ends with its store. */
  readonly is_private: boolean;
  /** Creates the collection where it is missing. Fails when it exists with vectors of another length. */
  prepare(): Promise<void>;
  put(points: readonly VectorPoint[]): Promise<void>;
  /** Best first. A collection that does not exist has no points, here and below. */
  search(
    vector: readonly number[],
    options: { readonly limit: number; readonly filter: MetadataFilter },
  ): Promise<FoundPoint[]>;
  count(filter: MetadataFilter): Promise<number>;
  /** Points in a fixed order. */
  list(page: {
    readonly limit: number;
    readonly after: string | null;
    readonly with_vectors?: boolean;
  }): Promise<PointPage>;
  removeIds(ids: readonly string[]): Promise<void>;
  /** An empty filter removes every point. Those in `except_ids` stay: what takes their place is stored before them. */
  removeWhere(filter: MetadataFilter, except_ids?: readonly string[]): Promise<void>;
  /** Removes the collection with its points. */
  drop(): Promise<void>;
}

/** Where a collection is, and who asks for it. */
export interface IndexOpening {
  readonly caller: Caller;
  readonly credential: ResolvedCredential;
  readonly collection: string;
  readonly dimensions: number;
}

/** Where collections are kept. */
export interface VectorIndexes {
  /** Chooses the adapter by the credential. Fails with kind `credential` when it describes no place for vectors. */
  open(opening: IndexOpening): VectorIndex;
  /** Removes a collection in the database of this service, which needs no credential. One that is missing is no error. */
  dropOwn(collection: string): Promise<void>;
}
