import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { exportArchive } from '../../../server/store/archive/export.ts';
import { importArchive, type ImportTarget } from '../../../server/store/archive/import.ts';
import { newUuid } from '../../../server/schema/ids.ts';
import { FIGURES_BY } from '../../../server/store/shared/figures.ts';
import type { SnapshotStore } from '../../../server/store/archive/snapshot.ts';
import {
  aChatbot,
  aDocument,
  aFunction,
  aMessage,
  anAgent,
  anAuditEntry,
  aSession,
  aSite,
  aSource,
  aTag,
} from '../records.ts';

/** Of this text no byte may be lost: characters of all lengths, NUL, half a surrogate pair, what JSON and SQL escape. */
const ODD_TEXT = 'Öffnungszeiten 🎪 "nine\\ten" \u0000 \ud83d \u2028 \'; drop table users; --\r\n\t';

const at = (second: number): string => `2026-01-02T03:05:${String(second).padStart(2, '0')}Z`;

/** Stores records of every kind, with what is rare. Resolves with the chatbots. */
export async function fillWithAll(store: SnapshotStore): Promise<string[]> {
  const owner = store.owner.user.uuid;
  const ann = { uuid: newUuid(), email: 'ann@example.com', created_at: at(1) };
  await store.addUser(ann);
  for (const [n, user] of [owner, ann.uuid].entries())
    await store.addKey({
      hash: String(n).repeat(64),
      user,
      name: ODD_NAME,
      hint: 'dk_abc',
      created_at: at(2),
      last_used_at: n ? at(3) : '',
    });
  await store.setFact('demo', ODD_TEXT);
  await store.setFact('another', '');

  const since = { created_at: at(3) };
  const members = [
    { user: owner, role: 'owner', ...since },
    { user: ann.uuid, role: 'viewer', ...since },
  ] as const;
  const shop = aChatbot(owner, {
    members: [...members],
    name: ODD_TEXT,
    schedule: { hours: 24, next_at: at(4) },
    widget: { greeting: ODD_TEXT } as never,
  });
  const museum = aChatbot(ann.uuid);
  const orphan = aChatbot(newUuid());
  await store.createChatbot(shop, [anAgent(shop.uuid, { tool_functions: [aFunction({ headers: { 'X-Key': 'k' } })] })]);
  for (const one of [museum, orphan]) await store.createChatbot(one, [anAgent(one.uuid)]);

  const [page, upload, answer] = [
    aSource(shop.uuid),
    aSource(shop.uuid, { type: 'upload' }),
    aSource(shop.uuid, { type: 'qa', fetched_json: '' }),
  ];
  await store.createSource(page);
  await store.createSource(
    upload,
    Uint8Array.from({ length: 300_000 }, (_, n) => (n * 7) % 256),
  );
  await store.createSource(answer, new Uint8Array(0));
  for (const [source, text] of [
    [page, ODD_TEXT],
    [upload, 'x'.repeat(400_000)],
    [answer, ''],
  ] as const) {
    await store.putDocument(source.uuid, aDocument(text));
    await store.updateSource(source.uuid, (one) => ({
      ...one,
      status: 'success',
      tokens: text.length,
      suggestion: ODD_TEXT,
    }));
  }
  await store.putVectors(page.uuid, { model: 'small', dimensions: 3, rows: Int8Array.of(1, -2, 127, -128, 0, 5) });
  const long = Int8Array.from({ length: 100_000 }, (_, n) => (n % 256) - 128);
  await store.putVectors(upload.uuid, { model: 'large', dimensions: long.length / 2, rows: long });
  await store.createTag(aTag(shop.uuid, { data_source_uuids: [upload.uuid, page.uuid] }));
  await store.createTag(aTag(shop.uuid));
  await store.createSite(
    aSite(shop.uuid, { dead_links: [{ url: 'https://shop.example/gone', found_on: '' }], refollow: 'all' }),
  );
  await store.createAgent(anAgent(shop.uuid, { name: 'Second', data_source_uuids: [answer.uuid] }));

  const silent = aSession(shop.uuid, { initial_variables: { plan: ODD_TEXT }, by_key: true });
  await store.createSession(silent);
  for (let n = 0; n < 75; n++) {
    const session = aSession(n % 9 ? shop.uuid : orphan.uuid, { live: { state: 'requested' } });
    const first = aMessage(session.uuid, { query: `${n} ${ODD_TEXT}`, modified_at: at(n % 10) });
    await store.saveMessage(first, session);
    for (let more = 0; more < n % 4; more++)
      await store.saveMessage(
        aMessage(session.uuid, {
          modified_at: at(10 + more),
          response: `${more}`,
          labels: [{ name: ODD_TEXT, color: '#000000' }],
        }),
      );
    if (n % 7 === 0) await store.deleteMessage(first.uuid);
  }
  const stopped = aSession(museum.uuid);
  await store.saveMessage(aMessage(stopped.uuid, { finish_reason: 'interrupted' }), stopped);

  for (const day of ['2026-01-31', '2026-02-01'])
    for (const user of [owner, newUuid()])
      await store.addUsage({
        owner: user,
        chatbot: shop.uuid,
        day,
        model: day.endsWith('1') ? '' : 'llm',
        messages: 3,
        credits: 1.5,
        tokens: 7,
      });
  for (const [n, by] of FIGURES_BY.entries())
    for (const day of ['2026-01-31', '2026-02-01'])
      await store.addFigures(
        [
          {
            chatbot: shop.uuid,
            day,
            by,
            name: n ? `shop.example/ä"\\` : '',
            asked: 9,
            answered: 3,
            unsure: 2,
            unknown: 4,
            handed_over: 1,
            rated_up: n,
            rated_down: 5,
            refused: n,
          },
        ],
        { [shop.uuid]: [{ source: page.uuid, answers: 1 + n, last_at: at(n) }] },
      );
  for (const month of ['2026-01', '2026-02']) {
    const ms = Date.parse(`${month}-02T03:04:05Z`);
    const entries = Array.from({ length: 120 }, (_, n) =>
      anAuditEntry({ chatbot: shop.uuid, ms: ms + n, detail: ODD_TEXT }),
    );
    await store.addAudit([...entries, anAuditEntry({ account: ann.uuid, user: ann.uuid, ms })]);
  }
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  await store.saveReply({ key: 'a'.repeat(64), request: 'b', status: 200, body: ODD_TEXT, created_at: now });
  await store.saveReply({ key: 'c'.repeat(64), request: 'd', status: 422, body: '', warnings: 'w', created_at: now });
  return [shop, museum, orphan].map(({ uuid }) => uuid);
}

const ODD_NAME = 'Büro, "2nd" floor';

export const archiveOf = (store: SnapshotStore): Promise<Buffer> =>
  store.snapshot((all) => buffer(exportArchive(all, Date.now)));

export const importFrom = (bytes: Uint8Array, into: ImportTarget, replaces = false) =>
  importArchive(Readable.from(piecesOf(bytes)), into, { clock: Date.now, replaces });

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += 50_000) yield bytes.subarray(from, from + 50_000);
}

/** The lines of an archive but its first and last; usage and replies, of which engines keep no order, sorted. */
export function linesOf(archive: Buffer): string[] {
  const lines = archive.toString().trimEnd().split('\n').slice(1, -1);
  const isSum = (line: string): boolean => /^\{"(?:usage|reply)"/.test(line);
  return [...lines.filter((line) => !isSum(line)), ...lines.filter(isSum).toSorted()].map(sortKeys);
}

const sortKeys = (line: string): string =>
  JSON.stringify(JSON.parse(line), (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted())
      : value,
  );
