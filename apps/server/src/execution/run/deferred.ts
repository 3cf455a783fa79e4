/** A promise that is settled from outside, at most once. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly is_settled: boolean;
  resolve(value: T): void;
  reject(error: Error): void;
}

/** Makes its promise on first access: for most runs one of the two endings is never awaited. */
class Settleable<T> implements Deferred<T> {
  is_settled = false;
  #value: T | undefined;
  #error: Error | undefined;
  #promise: Promise<T> | undefined;
  #resolve: ((value: T) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;

  get promise(): Promise<T> {
    this.#promise ??= this.#create();
    return this.#promise;
  }

  #create(): Promise<T> {
    if (this.#error) return Promise.reject(this.#error);
    // Guarantee: settled without an error means settled with a value.
    if (this.is_settled) return Promise.resolve(this.#value as T);
    return new Promise<T>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  resolve(value: T): void {
    if (this.is_settled) return;
    this.is_settled = true;
    this.#value = value;
    this.#resolve?.(value);
  }

  reject(error: Error): void {
    if (this.is_settled) return;
    this.is_settled = true;
    this.#error = error;
    this.#reject?.(error);
  }
}

export function deferred<T>(): Deferred<T> {
  return new Settleable<T>();
}
