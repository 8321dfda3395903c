import Type from 'typebox';
import { agentView } from '../agents/agents.ts';
import { Agent } from '../schema.ts';
import { operation, ownedChatbot, type Operation, type Rooms } from './operation.ts';

export const agents = ({ store }: Rooms): Operation[] => [
  operation({
    method: 'GET',
    path: '/api/v1/chatbot/:uuid/agents',
    summary: 'Fetch all agents of a chatbot',
    reply: Type.Array(Agent),
    async handle({ user, uuid }) {
      await ownedChatbot(store, user, uuid);
      return (await store.agents(uuid)).map(agentView);
    },
  }),
];
