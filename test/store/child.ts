import { writeSync } from 'node:fs';
import { newUuid } from '../../server/schema/ids.ts';
import { openLowdbStore } from '../../server/store/lowdb/lowdb.ts';
import { aChatbot, aMessage, aSession, aSource, aTag } from './records.ts';

/** What a process of its own does with a data folder: `hold` it, or `write` to it until it is killed. */

const [, , task, dir] = process.argv;
/** Straight to the pipe: a line that is there was acknowledged, whenever the kill comes. */
const say = (line: string): unknown => writeSync(1, `${line}\n`);

async function write(folder: string): Promise<void> {
  const store = await openLowdbStore({ dir: folder, clock: Date.now });
  const chatbot = aChatbot(store.owner.user.uuid);
  await store.createChatbot(chatbot, []);
  say(`chatbot ${chatbot.uuid}`);
  const visitor = async () => {
    for (;;) {
      const session = aSession(chatbot.uuid);
      for (let i = 0; i < 3; i++) {
        const message = aMessage(session.uuid, { response: newUuid().repeat(1 + (i % 2) * 40), finish_reason: '' });
        await store.saveMessage(message, i === 0 ? session : undefined);
        say(`message ${message.uuid} ${message.response} interrupted`);
        await store.saveMessage({ ...message, finish_reason: 'stop' });
        say(`message ${message.uuid} ${message.response} stop`);
      }
      const deleted = aMessage(session.uuid);
      await store.saveMessage(deleted);
      await store.deleteMessage(deleted.uuid);
      say(`deleted ${deleted.uuid}`);
      const source = aSource(chatbot.uuid);
      await store.createSource(source, Buffer.from(source.uuid));
      const tag = aTag(chatbot.uuid);
      await store.createTag(tag);
      await store.updateTag(tag.uuid, (one) => ({ ...one, data_source_uuids: [source.uuid] }));
      say(`tag ${tag.uuid} ${source.uuid}`);
      say(`source ${source.uuid} ${source.title}`);
      const title = newUuid();
      await store.updateSource(source.uuid, (one) => ({ ...one, title }));
      say(`source ${source.uuid} ${title}`);
    }
  };
  await Promise.all([visitor(), visitor(), visitor(), visitor()]);
}

async function hold(folder: string): Promise<void> {
  await openLowdbStore({ dir: folder, clock: Date.now });
  say('open');
  setInterval(() => {}, 1000);
}

try {
  await (task === 'write' ? write(dir!) : hold(dir!));
} catch (error) {
  say(`refused ${(error as Error).message}`);
}
