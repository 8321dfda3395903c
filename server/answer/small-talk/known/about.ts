import type { LanguageCode } from '../../../knowledge/text/languages.ts';
import type { Sort } from './known.ts';

const MODELS = 'chatgpt|chat gpt|gpt|claude|gemini|copilot|siri|alexa|bard|mistral|deepseek';

/** Questions about what the chatbot is and speaks, beside those of `Known`. */
export const ABOUT: Partial<Record<LanguageCode, Partial<Record<Sort, string>>>> = {
  en: {
    model: `(are you|is this|am i talking to) (${MODELS}) (or what|)`,
    languages: `(do you|can you|could you|) (speak|understand|talk|write|reply in|answer in) (english|german|french|spanish|italian|portuguese|dutch|polish|swedish|danish|norwegian|russian|turkish|chinese|japanese|korean|arabic|hindi|other languages) (too|as well|)`,
    who: `who (made|created|built|programmed|developed|invented|trained|designed) (you|this bot|this chatbot)`,
    ready: `never mind, nevermind, nvm, forget it, forget about it, doesnt matter, it doesnt matter`,
    trial: `test, testing, test test, just testing, this is a test, test message, testing testing`,
    thanks: `ta, ta very much`,
  },
  de: {
    model: `(bist du|sind sie|ist das) (${MODELS})`,
    languages: `(sprichst du|sprechen sie|verstehst du|verstehen sie|kannst du|können sie|redest du) (auch|) (deutsch|englisch|französisch|spanisch|italienisch|türkisch|polnisch|russisch|niederländisch|portugiesisch|andere sprachen) (sprechen|)`,
    who: `wer hat (dich|sie) (gemacht|erschaffen|programmiert|entwickelt|gebaut|erfunden)`,
    ready: `egal, vergiss es, vergessen sie es, macht nichts, hat sich erledigt, schon erledigt`,
    trial: `test, testnachricht, nur ein test, das ist ein test`,
  },
  fr: {
    model: `(es tu|êtes vous|vous êtes|tu es) (${MODELS})`,
    languages: `(parlez vous|parles tu|vous parlez|tu parles|comprenez vous|comprends tu|est ce que vous parlez|est ce que tu parles) (aussi|) (le|) (français|anglais|allemand|espagnol|italien|portugais|néerlandais|langlais|lallemand|lespagnol)`,
    who: `qui (ta|vous a) (créé|fait|programmé|conçu|développé|inventé|fabriqué)`,
    ready: `laisse tomber, laissez tomber, tant pis, peu importe, ce nest pas grave`,
    trial: `test, ceci est un test`,
  },
  es: {
    model: `(eres|es usted|esto es) (${MODELS})`,
    languages: `(hablas|habla|habla usted|hablan|entiendes|entiende|puedes hablar) (también|) (español|inglés|alemán|francés|italiano|portugués|catalán)`,
    who: `quién te (creó|hizo|ha creado|ha hecho|programó|desarrolló|inventó)`,
    ready: `da igual, no importa, olvídalo, olvídelo, déjalo, déjelo`,
    trial: `test, prueba, esto es una prueba`,
  },
  it: {
    model: `(sei|tu sei) (${MODELS})`,
    languages: `(parli|parla|parlate|capisci|capisce) (anche|) (italiano|inglese|tedesco|francese|spagnolo|portoghese)`,
    who: `chi ti ha (creato|fatto|programmato|sviluppato|inventato|costruito)`,
    ready: `non importa, lascia perdere, lasci perdere, fa niente, non fa niente`,
    trial: `test, prova, è una prova`,
  },
  pt: {
    model: `(és|você é|tu és) (o|) (${MODELS})`,
    languages: `(fala|falas|você fala|vocês falam|entende|entendes) (também|) (português|inglês|alemão|francês|espanhol|italiano)`,
    who: `quem te (criou|fez|programou|desenvolveu|inventou), quem (criou|fez|programou|desenvolveu) você`,
    ready: `deixa pra lá, deixe estar, não importa, esquece, esqueça`,
    trial: `teste, é um teste`,
  },
  nl: {
    model: `(ben je|ben jij|bent u) (${MODELS})`,
    languages: `(spreek je|spreek jij|spreekt u|spreken jullie|praat je|versta je|verstaat u) (ook|) (nederlands|engels|duits|frans|spaans|vlaams)`,
    who: `wie heeft (je|jou|u) (gemaakt|geprogrammeerd|ontwikkeld|gebouwd|bedacht)`,
    ready: `laat maar, maakt niet uit, het maakt niet uit`,
    trial: `test, dit is een test`,
  },
  sv: {
    model: `är du (${MODELS})`,
    languages: `(pratar du|talar du|pratar ni|talar ni|kan du|förstår du) (också|) (svenska|engelska|tyska|finska|franska|spanska)`,
    who: `vem har (skapat|gjort|programmerat|byggt) dig, vem (skapade|gjorde|programmerade|byggde) dig`,
    ready: `strunt samma, glöm det, det gör inget, det gör ingenting`,
  },
  da: {
    model: `er du (${MODELS})`,
    languages: `(taler du|snakker du|taler i|kan du|forstår du) (også|) (dansk|engelsk|tysk|svensk|fransk)`,
    who: `hvem har (lavet|skabt|programmeret|udviklet|bygget) dig, hvem (skabte|lavede|byggede) dig`,
    ready: `glem det, det er lige meget, lige meget`,
  },
  nb: {
    model: `er du (${MODELS})`,
    languages: `(snakker du|snakker dere|kan du|forstår du) (også|) (norsk|engelsk|tysk|svensk|fransk)`,
    who: `hvem har (laget|skapt|programmert|utviklet|bygget) deg, hvem (skapte|laget|bygde) deg`,
    ready: `glem det, det spiller ingen rolle`,
  },
  pl: {
    model: `(czy|) (to|) (jesteś|ty jesteś) (${MODELS})`,
    languages: `(czy|) (mówisz|mówi pan|mówi pani|rozumiesz) (też|) po (polsku|angielsku|niemiecku|francusku|rosyjsku|ukraińsku)`,
    who: `kto cię (stworzył|zrobił|zaprogramował|zbudował)`,
    ready: `nieważne, mniejsza z tym, mniejsza o to`,
  },
  ru: {
    model: `(ты|вы) (${MODELS})`,
    languages: `(ты|вы|) (говоришь|говорите|понимаешь|понимаете) (ли|) по (русски|английски|немецки|французски|украински)`,
    who: `кто (тебя|вас) (создал|сделал|запрограммировал|разработал|придумал)`,
    ready: `неважно, не важно, забудь, забудьте`,
  },
  tr: {
    languages: `(türkçe|ingilizce|almanca|fransızca) (biliyor|konuşuyor) (musun|musunuz)`,
    who: `seni kim (yaptı|yarattı|programladı|geliştirdi)`,
    ready: `boşver, boş ver, önemli değil`,
  },
  ja: {
    languages: `(日本語|英語|ドイツ語)(は|が|)(話せますか|話せる|わかりますか|できますか|大丈夫ですか)`,
    who: `(誰|だれ)(が|に)(あなたを|)(作りましたか|作ったの|作ったんですか|作られましたか)`,
  },
  zh: {
    languages: `(你|您|)(会|能|)(说|讲)(中文|英语|英文|德语|汉语)(吗|么|)`,
    who: `(是|)谁(创造|开发|制造|设计|编写)(了|)(你|您)(的|)`,
  },
};
