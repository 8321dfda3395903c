import { expect, it } from 'vitest';
import { realDisk, type Disk } from '../../../server/store/lowdb/files/disk.ts';
import { site, start, until } from '../../running.ts';

it('the deletion of a site that fails in part leaves no page that is quoted and not listed', async () => {
  let isFailing = false;
  const disk: Disk = {
    ...realDisk,
    unlink(path) {
      if (isFailing && String(path).includes('/sources/'))
        throw Object.assign(new Error('a fault of the tests'), { code: 'EPERM' });
      return realDisk.unlink(path);
    },
  };
  const town = await site({
    '/': '<title>Kayaks</title><main><p>We rent kayaks at the pier for £12 an hour.</p></main>',
  });
  const docent = await start({ FETCH_ALLOW: town.host }, disk);
  try {
    const made = await docent.api('POST', '/chatbot/create', { name: 'Town', show_citations: true });
    const base = `/chatbot/${made.body.uuid}`;
    const { uuid } = (await docent.api('POST', `${base}/data-source/site`, { url: `${town.base}/` })).body;
    await until(
      async () => (await docent.api('GET', `${base}/data-source/site/${uuid}`)).body,
      ({ status }) => status === 'done',
    );
    const answer = async (): Promise<string> => {
      const session = (await docent.api('POST', `${base}/session/create`, {})).body.uuid;
      const query = { query: 'Do you rent kayaks?' };
      return (await docent.api('POST', `/session/${session}/message/non-stream`, query)).body.response;
    };
    expect(await answer()).toContain('£12');
    isFailing = true;
    expect((await docent.api('POST', `${base}/data-source/site/${uuid}/delete`)).status).toBe(500);
    expect((await docent.api('GET', `${base}/data-sources`)).body).toEqual([]);
    expect(await answer()).not.toContain('£12');
  } finally {
    await docent.stop();
    await town.close();
  }
});
