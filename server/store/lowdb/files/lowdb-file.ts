import { Low, type Adapter } from 'lowdb';

export type { Adapter, Low };

/** One file of the store. Nothing else imports lowdb. */
export const lowdbFile = <T>(adapter: Adapter<T>, data: T): Low<T> => new Low(adapter, data);
