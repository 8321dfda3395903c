/**
 * A word of English and its forms that no stemmer brings together with it. A form that is another word as well is left out:
 * “saw”, “left”, “sale”.
 */
const IRREGULAR = `
  arise arose arisen; awake awoke; beat beaten; become became; begin began begun; bend bent; bite bit bitten;
  blow blew blown; break broke broken; bring brought; build built; burn burnt; buy bought; catch caught; child children;
  choose chose chosen; come came; creep crept; deal dealt; deep depth; draw drew drawn; drink drank drunk;
  drive drove driven; eat ate eaten; fall fallen; feed fed; fight fought; find found; fly flew flown; foot feet;
  forbid forbade forbidden; forget forgot forgotten; freeze froze frozen; get got gotten; give gave given; go went gone;
  grow grew grown; half halves; hang hung; hear heard; hide hid hidden; high height; hold held; keep kept; knife knives;
  know knew known; lay laid; lead led; learn learnt; lend lent; life lives; long length; lose lost; make made; man men;
  mean meant; meet met; mouse mice; pay paid; person people; ride rode ridden; run ran; say said; see seen; seek sought;
  sell sold; send sent; shake shook shaken; show shown; sing sang sung; sink sank sunk; sit sat; sleep slept;
  speak spoken; spell spelt; spend spent; stand stood; steal stole stolen; stick stuck; strike struck; strong strength;
  swear sworn; sweep swept; swim swam swum; take took taken; teach taught; tell told; think thought; throw threw thrown;
  tooth teeth; understand understood; weave wove woven; weep wept; wide width; wife wives; win won; woman women;
  write wrote written`;

const bases = new Map(
  IRREGULAR.split(';').flatMap((line) => {
    const [base = '', ...forms] = line.trim().split(/\s+/);
    return forms.map((form) => [form, base] as const);
  }),
);

/** The word that an irregular form belongs to; other words are returned as they are. */
export const baseOf = (word: string): string => bases.get(word) ?? word;
