import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../../server/store/store.ts';
import { openPostgresStore } from '../../../../server/store/postgres/postgres.ts';
import { aChatbot, aDocument, aSite, aSource } from '../../records.ts';
import { makeSchema, type Schema } from '../fixture.ts';
import { startPostgres } from '../server.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

const PAGES = 200;
const ROUNDS = 3;

describe.skipIf(!server)('the deletion of a site on PostgreSQL', () => {
  let schema: Schema;
  let stores: Store[];
  beforeEach(async () => {
    schema = await makeSchema(server!.url);
    stores = await Promise.all([1, 2].map(() => openPostgresStore({ url: schema.url, clock: Date.now })));
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await schema.drop();
  });

  it('and another process that stores the text of a page which stays do not wait for each other', async () => {
    const [one, other] = stores as [Store, Store];
    const { uuid: chatbot } = aChatbot(one.owner.user.uuid);
    await one.createChatbot({ ...aChatbot(one.owner.user.uuid), uuid: chatbot }, []);
    for (let round = 0; round < ROUNDS; round++) {
      const site = aSite(chatbot, {});
      await one.createSite(site);
      const page = (own: 0 | 1, identity: string) => aSource(chatbot, { site: site.uuid, own, identity });
      const own = page(1, `own ${round}`);
      await one.createSource(own);
      await Promise.all(Array.from({ length: PAGES }, (_, at) => one.createSource(page(0, `${round} ${at}`))));
      const over = new AbortController();
      const storing = (async () => {
        for (let at = 0; !over.signal.aborted; at++) await other.putDocument(own.uuid, aDocument(`Text ${at}`));
      })();
      storing.catch(() => {});
      const deleted = await one.deleteSite(site.uuid);
      over.abort();
      await storing;
      expect(deleted).toHaveLength(PAGES);
    }
  });
});
