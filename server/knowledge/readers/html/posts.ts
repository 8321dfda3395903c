import type { Placed } from './placed.ts';

/** A question of a page with several answers, or one of the answers, as its markup declares them (schema.org's QAPage). */
export interface Post {
  /** The same object for a question and its answers. */
  question: object;
  kind: 'question' | 'accepted' | 'suggested';
  /** Readers that recommend an answer. */
  votes: number;
}

/** Where a text stands among posts. */
export interface PostPlace {
  post?: Post | undefined;
  /** In the text of a post, not in what is told about it, such as its author. */
  isPostText?: boolean;
  /** It is the number of votes. */
  isVotes?: boolean;
}

const QUESTION_TYPE = /schema\.org\/Question\b/i;
const ANSWER = /(?:^|\s)(accepted|suggested)Answer(?:\s|$)/;

/** The place within an element; `outer`: around it. */
export function postPlaceOf(
  { itemscope, itemtype = '', itemprop = '', content }: Record<string, string>,
  outer: PostPlace,
): PostPlace {
  if (itemscope !== undefined) {
    if (QUESTION_TYPE.test(itemtype)) return { post: { question: {}, kind: 'question', votes: 0 } as Post };
    const [, kind] = ANSWER.exec(itemprop) ?? [];
    if (!outer.post || !kind) return {};
    return { post: { ...outer.post, kind: kind as Post['kind'], votes: 0 }, isPostText: false };
  }
  if (!outer.post || outer.isPostText) return {};
  if (/(?:^|\s)text(?:\s|$)/.test(itemprop)) return { isPostText: true };
  if (itemprop !== 'upvoteCount') return {};
  if (content !== undefined) outer.post.votes = Number(content) || 0;
  return { isVotes: true };
}

/**
 * Puts the answer of each question right below it: the accepted one, else that with the most votes. The other answers follow, each
 * by itself. What is told about them is left out, and so is the text of the question, which is no answer.
 */
export function withOneAnswer<P extends PostPlace>(blocks: Placed<P>[]): Placed<P>[] {
  const questions = new Map<object | undefined, Placed<P>[]>();
  for (const one of blocks) {
    const question = one.place.post?.question;
    questions.set(question, [...(question ? (questions.get(question) ?? []) : []), one]);
  }
  questions.delete(undefined);
  return blocks.flatMap((one) => {
    const group = questions.get(one.place.post?.question);
    return group ? (group[0] === one ? inOrder(group) : []) : one;
  });
}

function inOrder<P extends PostPlace>(group: Placed<P>[]): Placed<P>[] {
  const heading = group.find(({ block, place }) => block.kind === 'heading' && place.post!.kind === 'question');
  const posts = new Map<Post, Placed<P>[]>();
  for (const one of group) posts.set(one.place.post!, [...(posts.get(one.place.post!) ?? []), one]);
  const answers = [...posts.keys()].filter(({ kind }) => kind !== 'question').toSorted(byWorth);
  const [best] = answers;
  if (!heading?.block.text || !best) return group;
  const end: Placed<P> = { ...heading, block: { ...heading.block, text: '' } };
  const textsOf = (post: Post): Placed<P>[] => textOf(posts.get(post)!);
  return [heading, ...textsOf(best), end, ...answers.slice(1).flatMap((post) => [...textsOf(post), end])];
}

const byWorth = (a: Post, b: Post): number =>
  Number(b.kind === 'accepted') - Number(a.kind === 'accepted') || b.votes - a.votes;

/** The text of an answer, where its markup tells which part that is. */
function textOf<P extends PostPlace>(blocks: Placed<P>[]): Placed<P>[] {
  const texts = blocks.filter(({ place }) => place.isPostText);
  return texts.length > 0 ? texts : blocks;
}
