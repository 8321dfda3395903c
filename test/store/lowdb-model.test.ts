import { lowdbFolder } from './lowdb-fixture.ts';
import { storeModel } from './model.ts';

storeModel('lowdb', lowdbFolder());
storeModel('lowdb that keeps nothing idle in memory', lowdbFolder({ maxIdleCharacters: 0 }));
