import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';

/** Files of the folder, and tables of the database at `url` where that is given, that hold the word: in text, or in bytes. */
export async function tracesOf(word: string, dataDir: string, url?: string): Promise<string[]> {
  const found: string[] = [];
  const bytes = Buffer.from(word);
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && (await readFile(path)).includes(bytes)) found.push(path);
  }
  if (url === undefined) return found;
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  for (const { tablename } of await sql`select tablename from pg_tables where schemaname = current_schema()`) {
    const rows = await sql`
      select 1 from ${sql(tablename)} t
      where strpos(lower(t::text), ${word.toLowerCase()}) > 0 or strpos(t::text, ${bytes.toString('hex')}) > 0`;
    if (rows.length > 0) found.push(tablename);
  }
  await sql.end();
  return found;
}
