/** As much of pino as a store needs. */
export interface StoreLog {
  warn(fields: object, sentence: string): void;
}
