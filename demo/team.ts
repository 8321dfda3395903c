import type { AgentSettings, AgentType } from '../server/schema/records.ts';

/** One agent of the demo's chatbot, as data. */
export interface DemoAgent {
  name: string;
  type: AgentType;
  /** What it is for: read by the classifier, and by a model that chooses. */
  description: string;
  /** Instructions for a model that writes its answers. */
  prompt?: string;
  /** What it answers, where it has one answer. */
  message?: string;
  /** -10 leaves it to its detector alone. */
  bias?: number;
  /** Sentences of visitors that belong to it. */
  examples?: string[];
  tags?: AgentSettings['tags'];
}

/** The team of the demo's chatbot: first the agent that answers what fits no other. */
export const demoTeam: DemoAgent[] = [
  {
    name: 'General Q&A',
    type: 'user-facing',
    description:
      'Answers questions about buying from the shop: delivery, returns and refunds, payment, gift cards, the bags themselves and the company.',
    prompt:
      'You help visitors of Tolliver & Wren, a small maker of bicycle bags. Answer in a few plain sentences, and give prices, days and addresses exactly as the sources have them.',
    examples: [
      'How long do I have to return something?',
      'Can I send a bag back that I do not like?',
      'When do I get my money back?',
      'Can I swap it for another colour?',
      'How much is delivery?',
      'How long does post to Europe take?',
      'When will my parcel arrive?',
      'My parcel has not come yet',
      'Where is my order?',
      'I want to change my order',
      'Do I have to pay customs?',
      'Can I collect my order myself?',
      'Which cards do you take?',
      'Can I pay by PayPal?',
      'My payment failed',
      'I have a gift card',
      'Is there a discount?',
      'I need an invoice with a VAT number',
      'Do you sell to shops?',
      'What are the bags made of?',
      'How big is the saddlebag?',
      'How much does a pannier cost?',
      'Which colours are there?',
      'Can I have a monogram?',
      'Who makes the bags?',
      'Where is the workshop?',
      'How do I get to you by train?',
      'Is there a tour of the workshop?',
      'What is your e-mail address?',
    ],
  },
  {
    name: 'Repairs',
    type: 'user-facing',
    description:
      'Helps with a bag that is damaged, worn or faulty: repairs and what they cost, the warranty, spare parts, cleaning, waxing and care.',
    prompt:
      'You help the owner of a Tolliver & Wren bag that needs mending or care. Say first whether the warranty covers it, then what it costs or what to do next.',
    examples: [
      'My bag is broken',
      'Can you mend my pannier?',
      'How much does a repair cost?',
      'How long does a repair take?',
      'The buckle has snapped',
      'The zip is stuck',
      'A seam has come undone',
      'The strap is torn',
      'There is a hole in the cloth',
      'A hook has come off',
      'I crashed and the bag is ripped',
      'What does the warranty cover?',
      'Is this still under warranty?',
      'I bought it second hand, does the guarantee still count?',
      'How do I make a warranty claim?',
      'My bag has a fault',
      'Do you have spare parts?',
      'I need a new hook',
      'Can I buy a replacement strap?',
      'How do I clean my bag?',
      'May I wash it in the machine?',
      'How do I wax it again?',
      'How often should the wax be renewed?',
      'The colour has faded',
      'The bag is no longer waterproof',
    ],
  },
  {
    name: 'Opening hours',
    type: 'pre-canned',
    description: 'Says when the workshop and its counter are open to visitors.',
    message:
      'The workshop counter at 14 Ferry Lane, Aldermere is open on Tuesday, Wednesday, Friday and Saturday from 10 am to 5 pm, and on Thursday from 10 am to 7 pm. It is closed on Sunday, Monday and public holidays, and from 24 December to 2 January.',
    examples: [
      'What are your opening hours?',
      'When are you open?',
      'Are you open on Saturday?',
      'Are you closed on Monday?',
      'Is the shop open today?',
      'Are you open tomorrow morning?',
      'How late are you open this evening?',
      'What time do you close?',
      'What time do you open?',
      'From when to when is the counter open?',
      'Can I visit the workshop on Sunday?',
      'When can I come by?',
      'On which days can I drop in?',
      'Are you open at Christmas?',
      'Are you open on public holidays?',
      'When is the workshop closed?',
    ],
  },
  {
    name: 'A person',
    type: 'human-escalation',
    description: 'Takes over where a visitor clearly asks to talk to a human being.',
    message:
      'You would like to talk to one of us. Ring 01632 960 142, Monday to Friday from 9 am to 5 pm, or write to hello@tolliverandwren.example: we answer within one working day.',
    bias: -10,
  },
  {
    name: 'Spam',
    type: 'spam-defense',
    description: 'Answers advertising, gibberish, floods of links and abuse.',
    message: 'I can only help with questions about Tolliver & Wren: our bags, your order, repairs and the workshop.',
  },
  {
    name: 'Labels',
    type: 'background',
    description: 'Marks what a message is about, for those who read the conversations later.',
    tags: [
      {
        name: 'Complaint',
        color: '#b91c1c',
        criteria:
          'The visitor is unhappy or angry, because something went wrong: it is late, lost, broken, wrong, or nobody answers.',
      },
      {
        name: 'Order',
        color: '#1d4ed8',
        criteria:
          'It is about an order that the visitor has placed already: where it is, when it arrives, changing it or cancelling it.',
      },
      {
        name: 'Wholesale',
        color: '#047857',
        criteria:
          'A shop or a company wants to buy many, to resell our bags, trade prices, or to work together with us.',
      },
    ],
  },
];
