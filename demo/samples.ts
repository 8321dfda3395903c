import type { Citations, VisitorMessage } from '../server/types.ts';
import { createMessage } from './script.ts';

/** Scripted answers of the demo pages. */

export const returnsQuestion = 'How long do I have to return something?';

const citations: Citations = {
  1: {
    data_source_uuid: 'a',
    title: 'Returns and refunds',
    text: 'You can send back anything you bought from us within 45 days of the day it reached you, for any reason. Sale items are no exception.',
    file_name: 'https://shop.example.org/help/returns',
    type: 'link',
  },
  2: {
    data_source_uuid: 'a',
    title: 'Returns and refunds',
    text: 'We refund the full price to the card or account you paid with, usually within three working days of the parcel reaching our workshop.',
    file_name: 'https://shop.example.org/help/returns',
    type: 'link',
  },
  3: {
    data_source_uuid: 'b',
    title: 'Contact and opening hours',
    text: 'Write to us at any hour.',
    file_name: 'https://shop.example.org/help/contact',
    type: 'link',
  },
};

export const citedAnswer = createMessage(
  returnsQuestion,
  'You have **45 days** from the day your parcel arrived, for any reason, sale items included [1].\n\nThe refund goes back to the card or account you paid with, usually within three working days of the parcel reaching our workshop [2]. If anything is unclear, [write to us](https://shop.example.org/help/contact) [3].',
  citations,
);

export const noAnswer: VisitorMessage = {
  ...createMessage(
    'Will it rain on Sunday?',
    "I don't know: I found nothing about that on this site.\n\nTry other words, or ask about shipping, returns, warranty or payments.",
  ),
  outcome: 'unknown',
};

export const unsureAnswer: VisitorMessage = {
  ...createMessage(
    'Can you post a lamp to my hotel?',
    'I am not sure. The closest that I have read:\n\nShipping: We send to any address that a carrier delivers to [1].',
    { 1: { ...citations['3']!, title: 'Shipping', text: 'We send to any address that a carrier delivers to.' } },
  ),
  outcome: 'unsure',
};

export const continuedAnswer: VisitorMessage = {
  ...citedAnswer,
  follow_ups: ['How do I send something back?', 'Who pays for the parcel?', 'What if it is broken?'],
};

export const longAnswer = createMessage(
  'Explain the tracking API',
  `## Tracking an order

Every order has a *tracking key*. With it you can:

1. read where the parcel is,
2. be told when it moves,
   - by mail, or
   - by a \`POST\` to your own address;
3. ask for it back ~~within a day~~ at any time.

\`\`\`js
const order = await fetch('/orders/4711', {
  headers: { Authorization: \`Bearer \${key}\` },
});
console.log((await order.json()).status);
\`\`\`

What we do at each step:

- [x] the key is made with the order
- [x] you are told when it leaves us
- [ ] you are told when it is late

| Status | Meaning | Days |
|:--|:--|--:|
| \`packed\` | ready to leave us | 0 |
| \`moving\` | with the carrier | 1–4 |
| \`waiting\` | at a pick-up point near you | 7 |

> Keys are secret: keep them on your server.

---

### Limits

At most 60 requests a minute [1]. See https://shop.example.org/help/api for the rest.`,
  { 1: { ...citations['3']!, title: 'Tracking API', text: 'At most 60 requests a minute are answered for one key.' } },
);

export const arabicAnswer = createMessage(
  'كم يومًا لديّ لإرجاع المنتج؟',
  'لديك **45 يومًا** من يوم وصول الطرد [1].\n\n1. ضع المنتج في علبته،\n2. اكتب رقم الطلب `TW-4711` عليها،\n3. سلّمها إلى أقرب مكتب بريد.\n\n| المدة | ما يُعاد |\n|:--|--:|\n| أقل من 45 يومًا | المبلغ كله |\n| أكثر من ذلك | لا شيء |',
  {
    1: {
      ...citations['1']!,
      title: 'الإرجاع واسترداد المبلغ',
      text: 'يمكنك إرجاع أي منتج خلال 45 يومًا من وصوله إليك، لأي سبب.',
    },
  },
);

export const codeAnswer = createMessage(
  'How do I read where a parcel is?',
  `Send the order's tracking key [1]:

\`\`\`python
import requests

# The key is made with the order.
order = requests.get(f"{site}/orders/4711", headers={"Authorization": f"Bearer {key}"}, timeout=10)
print(order.json()["status"])  # packed, moving or waiting
\`\`\`

Once it is \`moving\`, ask at most every 10 minutes.`,
  { 1: { ...citations['3']!, title: 'Tracking API', text: 'Send the tracking key with each request.' } },
);

export const linksAnswer: VisitorMessage = {
  ...createMessage('I need a lamp for my desk', 'These three fit a desk and are in stock.'),
  parts: [
    {
      type: 'link_cards',
      cards: [
        { title: 'Heron desk lamp', url: 'https://shop.example.org/heron', text: 'Brass, dimmable, 48 cm. £ 89' },
        { title: 'Linnet clip lamp', url: 'https://shop.example.org/linnet', text: 'Clips to a shelf. £ 34' },
        { title: 'Wren reading light', url: 'https://shop.example.org/wren' },
      ],
    },
    {
      type: 'quick_replies',
      replies: [{ label: 'Compare them' }, { label: 'Show floor lamps' }, { label: 'Which is the brightest?' }],
    },
  ],
};

export const formAnswer: VisitorMessage = {
  ...createMessage('Please call me back', 'With pleasure. Where can we reach you?'),
  parts: [
    {
      type: 'form',
      title: 'Call me back',
      fields: [
        { name: 'name', label: 'Name', kind: 'text', required: true },
        { name: 'email', label: 'E-mail', kind: 'email', required: true },
        { name: 'about', label: 'What is it about?', kind: 'long_text' },
      ],
      submit: 'Call me back',
    },
  ],
};

export const pastConversations = [
  { session: 's2', at: Date.parse('2026-11-12T16:05:00Z'), title: 'Do you ship to Canada?' },
  {
    session: 's3',
    at: Date.parse('2026-10-02T11:45:00Z'),
    title: 'Is my order insured against damage while it is with the carrier?',
  },
];
