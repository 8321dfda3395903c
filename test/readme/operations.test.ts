import { readFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { expect, test } from 'vitest';
import { operations } from '../../server/api/router.ts';
import { createOpenapiDocument } from '../../server/api/openapi/document.ts';
import type { ApiDeps } from '../../server/api/requests/operation.ts';

/** The API guide's table of operations, out of the OpenAPI document: `npx vitest run test/readme/operations.test.ts -u` writes it. */

interface Schema {
  $ref?: string;
  type?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}
interface Told {
  summary: string;
  deprecated?: true;
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content: Record<string, { schema: Schema }> }>;
}
interface Document {
  paths: Record<string, Record<string, Told>>;
  components: { schemas: Record<string, Schema> };
}

const GUIDE = 'server/docs/api.md';
const document = createOpenapiDocument(operations({} as ApiDeps)) as Document;
const nameOf = ({ $ref = '' }: Schema): string => $ref.split('/').at(-1) ?? '';
const looked = (schema: Schema): Schema => document.components.schemas[nameOf(schema)] ?? schema;

function rowOf(method: string, path: string, told: Told): string {
  const [body] = Object.values(told.requestBody?.content ?? {});
  const query = (told.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => `\`?${name}\``);
  const [[type, reply] = []] = Object.entries(told.responses['200']?.content ?? {});
  const gives = OTHER_TYPES[type ?? ''] ?? (reply ? shapeOf(reply.schema) : '');
  const fields = body ? fieldsOf(looked(body.schema)) : [];
  // The settings of the widget have a table of their own.
  const takes = [...query, ...(fields.length > MANY ? [`any keys of ${gives}`] : fields)].join(', ');
  return `| ${told.summary} | \`${method.toUpperCase()} ${path}\` | ${takes} | ${gives} |`;
}

const MANY = 20;
const OTHER_TYPES: Record<string, string> = {
  'text/plain': 'text',
  'text/event-stream': 'event stream',
  'text/csv': 'CSV, or JSON Lines',
};

/** Those that may be left out carry a question mark. */
const fieldsOf = ({ properties = {}, required = [] }: Schema): string[] =>
  Object.keys(properties).map((name) => `\`${name}${required.includes(name) ? '' : '?'}\``);

function shapeOf(schema: Schema): string {
  if (schema.items) return `list of ${shapeOf(schema.items)}`;
  const keys = Object.keys(schema.properties ?? {});
  // What is so large has a name of its own, which its summary gives.
  return schema.$ref ? nameOf(schema) : keys.length > 3 ? 'object' : `\`{${keys.join(', ')}}\``;
}

test('the table of operations agrees with the schemas', async () => {
  const rows = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, told]) => !told.deprecated)
      .map(([method, told]) => rowOf(method, path, told)),
  );
  const head = '| operation | method and path | takes | gives |\n| --- | --- | --- | --- |';
  const guide = readFileSync(GUIDE, 'utf8');
  const between = /(?<=<!-- operations -->\n).*?(?=<!-- \/operations -->)/s;
  expect(guide).toMatch(between);
  const written = guide.replace(between, () => `\n${[head, ...rows].join('\n')}\n\n`);
  const options = { ...(await resolveConfig(GUIDE)), parser: 'markdown' };
  await expect(await format(written, options)).toMatchFileSnapshot(`../../${GUIDE}`);
});
