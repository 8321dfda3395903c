import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Detector, type LinearModel } from '../linear.ts';
import { lettersOf, shapeOf, type LetterModel } from '../gibberish.ts';
import { fit, type Lesson } from './fit.ts';
import { hashOf, isHeldOut } from './held-out.ts';
import { sentencesOf } from '../../../knowledge/text/sentences.ts';
import { examplesOf, type Sentences } from './sentences.ts';

interface Row {
  id: string;
  text: string;
  label: string;
}

/** Texts of each source that are learned from, by what they are. */
interface Texts {
  questions: string[];
  ham: string[];
  spam: string[];
}

/**
 * Trains the detectors from the data sets in `folder` and writes them to `../trained/`; prints how they do on what was kept
 * aside: a fifth of each data set, and, trained without them, a fifth of our own sentences.
 */
export function train(folder: string): void {
  const [bank, sms] = [rowsOf(folder, 'banking77-train'), rowsOf(folder, 'sms-spam-a')];
  const texts = (held: boolean): Texts => ({
    questions: bank.filter(({ id }) => isHeldOut(id) === held).map(({ text }) => text),
    ham: sms.filter(({ id, label }) => isHeldOut(id) === held && label !== 'spam').map(({ text }) => text),
    spam: sms.filter(({ id, label }) => isHeldOut(id) === held && label === 'spam').map(({ text }) => text),
  });
  const [taught, held] = [texts(false), texts(true)];
  for (const [name, fitted] of [
    ['person', person],
    ['spam', spam],
  ] as const) {
    const detector = new Detector(fitted(examplesOf(`${name}.txt`, isTaught), taught));
    console.log(
      `${name}: ${shares(
        detector,
        examplesOf(`${name}.txt`, (line) => !isTaught(line)),
        held,
      )}`,
    );
    write(name, fitted(examplesOf(`${name}.txt`), taught));
  }
  write('letters', letters(taught));
}

/** Stands in each file, as these go where the code goes. */
const CREDIT =
  'Trained on BANKING77 (Casanueva et al. 2020, PolyAI; CC BY 4.0), the SMS Spam Collection (Almeida and Gómez Hidalgo 2011, ' +
  'UCI; CC BY 4.0) and sentences of this project (MIT). See server/agents/routing/trained/README.md.';

const isTaught = (line: string): boolean => hashOf(line) % 5 !== 0;

const sentencesIn = (text: string): string[] => sentencesOf(text).map(({ start, end }) => text.slice(start, end));

const lessons = (texts: string[], cost: number): Lesson[] => texts.map((text) => ({ text, cost }));

function person({ yes, no, phrases }: Sentences, { questions, ham }: Texts): LinearModel {
  const recipe = { ones: lessons(yes, 4), phrases, most: 10_500, kinds: 'wpg' };
  const others = [...lessons(no, 2), ...lessons([...questions, ...ham], 0.5)];
  const first = new Detector({ credit: CREDIT, ...fit({ ...recipe, others }) });
  // A message is read sentence by sentence, too: those that would be taken for a wish are learned from as they are.
  const mistaken = [...questions, ...ham].flatMap(sentencesIn).filter((sentence) => first.valueOf(sentence) >= 0);
  return { credit: CREDIT, ...fit({ ...recipe, others: [...others, ...lessons(mistaken, 0.5)] }) };
}

/** Who asks for a person sends no spam, and neither do those who ask what is near to that. */
function spam({ yes, no, phrases }: Sentences, { questions, ham, spam }: Texts): LinearModel {
  const asked = examplesOf('person.txt');
  const others = lessons([...no, ...questions, ...ham, ...asked.yes, ...asked.no], 2);
  const ones = [...lessons(spam, 2), ...lessons(yes, 4)];
  return { credit: CREDIT, ...fit({ ones, others, phrases, most: 9000, kinds: 'wpgl' }) };
}

/** How often each letter follows another in the words of all languages of Latin letters that are at hand. */
function letters({ questions, ham }: Texts): LetterModel {
  const widget = join(import.meta.dirname, '../../../../widget/words');
  const shown = readdirSync(widget).map((file) => readFileSync(join(widget, file), 'utf8').replace(/^.*?: /gm, ''));
  const own = ['person.txt', 'spam.txt'].map((file) => examplesOf(file));
  const words = new Set(
    [...questions, ...ham, ...shown, ...own.flatMap(({ yes, no }) => [...yes, ...no])].flatMap(lettersOf),
  );
  const counts = Array.from({ length: 27 * 27 }, () => 0.5);
  for (const word of words) for (const pair of shapeOf(word)) counts[pair]!++;
  const pairs = counts.map((count, pair) => {
    const from = Math.floor(pair / 27) * 27;
    const all = counts.slice(from, from + 27).reduce((sum, one) => sum + one, 0);
    return Math.round(Math.log(count / all) * 10);
  });
  return { credit: CREDIT, pairs };
}

function rowsOf(folder: string, name: string): Row[] {
  const data = JSON.parse(gunzipSync(readFileSync(join(folder, `${name}.json.gz`))).toString()) as { queries: Row[] };
  return data.queries;
}

function shares(detector: Detector, own: Sentences, { questions, ham, spam }: Texts): string {
  const share = (texts: string[]) => `${texts.filter((text) => detector.valueOf(text) >= 0).length} of ${texts.length}`;
  return `found ${share(own.yes)}, wrongly ${share(own.no)}; banking77 ${share(questions)}, ham ${share(ham)}, spam ${share(spam)}`;
}

const write = (name: string, model: LinearModel | LetterModel): void =>
  writeFileSync(join(import.meta.dirname, '..', 'trained', `${name}.json`), `${JSON.stringify(model)}\n`);
