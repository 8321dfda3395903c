import { cloneJson } from '../../clone-json.ts';
import { isAgent, isSite, isTag } from '../../record-checks.ts';
import { Superseded } from '../../shared/learners.ts';
import type { Change } from '../../store.ts';
import { inTransaction, unlessOrphaned, type Fragment, type Queries } from '../connection.ts';
import { fromJson, type PostgresContext } from '../context.ts';
import { readRecord } from './read.ts';

/** An agent, tag or site. */
interface SubRecord {
  uuid: string;
  chatbot: string;
  data_source_uuids?: string[];
}

interface SubTable<T> {
  table: 'agents' | 'tags' | 'sites';
  /** The table of the sources that they name. */
  links?: 'agent_sources' | 'tag_sources';
  /** Changes are refused of sites that this process does not crawl. */
  isCrawler?: boolean;
  /** Stores what stands in other tables, or in columns of its own; the record is there. */
  after?(tx: Queries, record: T): Promise<unknown>;
}

const IS_WHOLE = { agents: isAgent, tags: isTag, sites: isSite };

interface Row {
  uuid: string;
  chatbot: string;
  record: string;
  sources: string[] | null;
}

/** The agents of all chatbots, or the tags, or the sites. What they name of sources is kept in a table of its own, which deletions leave. */
export class SubRecords<T extends SubRecord> {
  readonly #context: PostgresContext;
  readonly #options: SubTable<T>;

  constructor(context: PostgresContext, options: SubTable<T>) {
    this.#context = context;
    this.#options = options;
  }

  /** In order of creation. */
  async list(chatbot: string, sql: Queries = this.#context.sql): Promise<T[]> {
    return this.#read(await this.#select(sql, sql`where p.chatbot = ${chatbot} order by p.n`));
  }

  async where(condition: Fragment): Promise<T[]> {
    return this.#read(await this.#select(this.#context.sql, condition));
  }

  async find(uuid: string): Promise<T | undefined> {
    const { sql } = this.#context;
    return this.#read(await this.#select(sql, sql`where p.uuid = ${uuid}`))[0];
  }

  /** False without the chatbot, and where there is one of this uuid. */
  create(record: T, check?: (others: T[]) => void): Promise<boolean> {
    const { sql, mutex, nextOrder } = this.#context;
    const { chatbot } = record;
    const n = nextOrder();
    return mutex.run(chatbot, () =>
      inTransaction(sql, async (tx) => {
        // Whoever checks the others takes turns with whoever adds one.
        const [there] = await tx`select 1 from chatbots where uuid = ${chatbot} and not is_deleted for no key update`;
        if (!there) return false;
        check?.(await this.list(chatbot, tx));
        return this.add(tx, record, n);
      }),
    );
  }

  /** False where there is one of this uuid. */
  async add(tx: Queries, record: T, n: string): Promise<boolean> {
    const { uuid, chatbot } = record;
    const columns = { uuid, n, chatbot, record: '', ...this.#columns(record) };
    const { count } = await tx`insert into ${tx(this.#options.table)} ${tx(columns)} on conflict do nothing`;
    if (count > 0) await this.#write(tx, record);
    return count > 0;
  }

  update(uuid: string, change: Change<T>): Promise<T | undefined> {
    const { sql, mutex } = this.#context;
    return mutex.run(uuid, () =>
      unlessOrphaned(undefined, () =>
        inTransaction(sql, async (tx) => {
          const [row] = await this.#select(tx, tx`where p.uuid = ${uuid} for update of p`);
          if (!row) return undefined;
          if (this.#options.isCrawler) await this.#checkCrawler(tx, uuid);
          const changed = cloneJson(change(withSources(fromJson<T>(row.record), row.sources)));
          await this.#write(tx, changed);
          const [written] = await this.#select(tx, tx`where p.uuid = ${uuid}`);
          return withSources(fromJson<T>(written!.record), written!.sources);
        }),
      ),
    );
  }

  async remove(uuid: string): Promise<boolean> {
    const { sql } = this.#context;
    return (await sql`delete from ${sql(this.#options.table)} where uuid = ${uuid}`).count > 0;
  }

  async #checkCrawler(tx: Queries, uuid: string): Promise<void> {
    const [ours] = await tx`select 1 from sites where uuid = ${uuid} and crawler = ${this.#context.process}`;
    if (!ours) throw new Superseded('another process crawls the site');
  }

  #select(sql: Queries, condition: Fragment) {
    const { table, links } = this.#options;
    const sources = links
      ? sql`(select json_agg(source order by place) from ${sql(links)} where part = p.uuid)`
      : sql`null::json`;
    return sql<Row[]>`select p.uuid, p.chatbot, p.record, ${sources} as sources from ${sql(table)} p ${condition}`;
  }

  #read(rows: Row[]): T[] {
    const { table } = this.#options;
    return rows.flatMap(({ uuid, chatbot, record, sources }) => {
      const read = readRecord<T>(this.#context, table, { key: uuid, json: record, chatbot }, IS_WHOLE[table]);
      return read === undefined ? [] : [withSources(read, sources)];
    });
  }

  #columns(record: T): Record<string, string> {
    return this.#options.table === 'sites' ? { status: (record as { status?: string }).status ?? '' } : {};
  }

  async #write(tx: Queries, record: T): Promise<void> {
    const { table, links, after } = this.#options;
    const { uuid, chatbot, data_source_uuids } = record;
    const json = JSON.stringify(record);
    await tx`update ${tx(table)} set ${tx({ record: json, ...this.#columns(record) })} where uuid = ${uuid}`;
    // Whoever begins a crawl has the site, until it ends.
    if (table === 'sites')
      await tx`
        update sites set crawler = case when status = 'running' then
          coalesce(crawler, (select uuid from processes where uuid = ${this.#context.process})) end,
          progress = case when status = 'running' then progress end
        where uuid = ${uuid}`;
    if (links && data_source_uuids) {
      await tx`delete from ${tx(links)} where part = ${uuid}`;
      await tx`
        insert into ${tx(links)} (part, place, source)
        select ${uuid}, named.place, s.uuid
        from json_array_elements_text(${JSON.stringify(data_source_uuids)}::text::json) with ordinality as named (uuid, place)
        join sources s on s.uuid = named.uuid and s.chatbot = ${chatbot}
        for key share of s`;
    }
    await after?.(tx, record);
  }
}

const withSources = <T extends SubRecord>(record: T, sources: string[] | null): T =>
  record.data_source_uuids ? { ...record, data_source_uuids: sources ?? [] } : record;
