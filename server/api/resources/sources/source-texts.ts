import { joinTexts } from '../../../http/json-list.ts';
import { SourceText, type TextChange } from '../../../schema/sources/source-text.ts';
import { operation, ownedSource, type ApiDeps, type Operation } from '../../requests/operation.ts';

const NO_CHANGE: TextChange = { at: '', added: 0, removed: 0, added_lines: [], removed_lines: [] };

/** What a source says. */
export const sourceTexts = ({ store }: ApiDeps): Operation[] => [
  operation({
    id: 'getSourceText',
    right: 'edit',
    audit: 'none',
    method: 'GET',
    path: '/api/v1/data-source/:uuid/text',
    summary: 'Fetch the text of a source',
    description: 'As it is searched and quoted, and what the last fetch that changed it changed.',
    reply: SourceText,
    async handle({ user, uuid }) {
      const { change_json } = await ownedSource(store, user, uuid);
      const { text = '', passages = [] } = (await store.document(uuid)) ?? {};
      return joinTexts(
        passages,
        ({ headings, start, end }) => JSON.stringify({ headings, text: text.slice(start, end) }),
        {
          before: '{"passages":[',
          between: ',',
          after: `],"last_change":${change_json || JSON.stringify(NO_CHANGE)}}`,
        },
      );
    },
  }),
];
