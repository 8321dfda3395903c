import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readConversations, type ConversationFile } from './format.ts';
import { FileError } from './yaml-fields.ts';

/** A file, or of a folder those with names that end in .yaml or .yml, by name. Throws a `FileError`. */
export async function readConversationFiles(path: string): Promise<ConversationFile[]> {
  const names = await namesAt(path).catch(unreadable(path));
  if (names.length === 0) throw new FileError(`${path} has no files with names that end in .yaml or .yml`);
  const files: ConversationFile[] = [];
  for (const name of names) {
    files.push(readConversations(name, await readFile(name, 'utf8').catch(unreadable(name))));
  }
  return files;
}

async function namesAt(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory() && /\.ya?ml$/.test(entry.name));
  return files.map(({ name }) => join(path, name)).toSorted();
}

const unreadable = (path: string) => (error: NodeJS.ErrnoException) => {
  const reason = error.code === 'ENOENT' ? 'there is no such file or folder' : error.message;
  throw new FileError(`${path}: ${reason}`);
};
