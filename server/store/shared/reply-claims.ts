/** Which of the processes that share a store answers a request that has an `Idempotency-Key`. */
export interface ReplyClaims {
  /** False where a request with this key is being answered, here or in another process: until `release`, or the end of that process. */
  claim(key: string): Promise<boolean>;
  /** To be called once the reply is saved, or where there is none to save. */
  release(key: string): Promise<void>;
}
