import { lowdbPlace } from './lowdb-place.ts';
import { storeModel } from './model.ts';

storeModel('lowdb', lowdbPlace());
storeModel('lowdb that keeps nothing idle in memory', lowdbPlace({ maxIdleCharacters: 0 }));
