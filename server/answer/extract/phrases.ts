import type { Query } from '../../knowledge/search/query.ts';
import type { LanguageCode } from '../../knowledge/text/languages.ts';

/** The sentences of extractive answers that are not quoted, in one language. */
export interface Phrases {
  /** Before a quote that shares few words with the question. */
  found: string;
  /** Before quotes from more than one page. */
  several: string;
  /** After the quotes, where a long text was asked for. */
  noMore: string;
  unknown: string;
  /** Before links to pages. */
  closest: string;
  /** Instead of links, where there are none. */
  otherWords: string;
}

const phrases = (
  found: string,
  several: string,
  noMore: string,
  unknown: string,
  closest: string,
  otherWords: string,
): Phrases => ({ found, several, noMore, unknown, closest, otherWords });

export const PHRASES = {
  en: phrases(
    'This is what I found:',
    'Several pages say something about this:',
    'That is what I have read about it: I quote, and write no texts of my own.',
    'I don’t know: I have found no answer to that in what I have read.',
    'The closest that I can offer:',
    'Please try other words, or ask about something else.',
  ),
  de: phrases(
    'Dazu habe ich gefunden:',
    'Dazu habe ich auf mehreren Seiten etwas gefunden:',
    'Das ist, was ich dazu gelesen habe: Ich zitiere und schreibe keine eigenen Texte.',
    'Das weiß ich nicht: In dem, was ich gelesen habe, steht darauf keine Antwort.',
    'Am nächsten kommen diese Seiten:',
    'Versuchen Sie es bitte mit anderen Worten, oder fragen Sie etwas anderes.',
  ),
  es: phrases(
    'Esto es lo que he encontrado:',
    'He encontrado esto en varias páginas:',
    'Esto es lo que he leído sobre el tema: cito, no escribo textos propios.',
    'No lo sé: no he encontrado la respuesta en lo que he leído.',
    'Lo más parecido que puedo ofrecer:',
    'Pruebe con otras palabras o pregunte otra cosa.',
  ),
  fr: phrases(
    'Voici ce que j’ai trouvé :',
    'Voici ce que j’ai trouvé sur plusieurs pages :',
    'C’est ce que j’ai lu à ce sujet : je cite, je n’écris pas de textes moi-même.',
    'Je ne sais pas : je n’ai pas trouvé de réponse dans ce que j’ai lu.',
    'Ce qui s’en approche le plus :',
    'Essayez avec d’autres mots, ou posez une autre question.',
  ),
  it: phrases(
    'Ecco che cosa ho trovato:',
    'Ne parlano diverse pagine:',
    'Questo è ciò che ho letto in proposito: cito, non scrivo testi miei.',
    'Non lo so: in ciò che ho letto non ho trovato una risposta.',
    'Le pagine che più si avvicinano:',
    'Provi con altre parole o chieda qualcos’altro.',
  ),
  pt: phrases(
    'Foi isto que encontrei:',
    'Encontrei isto em várias páginas:',
    'Foi isto que li sobre o assunto: cito, não escrevo textos próprios.',
    'Não sei: não encontrei resposta para isso no que li.',
    'O mais próximo que posso oferecer:',
    'Tente com outras palavras ou pergunte outra coisa.',
  ),
  nl: phrases(
    'Dit heb ik gevonden:',
    'Dit heb ik op meer dan één pagina gevonden:',
    'Dat is wat ik erover heb gelezen: ik citeer en schrijf geen eigen teksten.',
    'Dat weet ik niet: in wat ik heb gelezen, staat daar geen antwoord op.',
    'Dit komt het dichtst in de buurt:',
    'Probeer het met andere woorden, of vraag iets anders.',
  ),
  pl: phrases(
    'Oto, co udało mi się znaleźć:',
    'Piszą o tym różne strony:',
    'To wszystko, co na ten temat znam: cytuję, nie piszę własnych tekstów.',
    'Nie wiem: w tym, co znam, nie ma na to odpowiedzi.',
    'Najbliższe temu strony:',
    'Proszę spróbować innych słów albo zapytać o coś innego.',
  ),
  sv: phrases(
    'Det här hittade jag:',
    'Det här hittade jag på flera sidor:',
    'Det är vad jag har läst om det: jag citerar och skriver inga egna texter.',
    'Det vet jag inte: jag har inte hittat något svar i det jag har läst.',
    'Det närmaste jag kan erbjuda:',
    'Försök med andra ord, eller fråga om något annat.',
  ),
  da: phrases(
    'Det her fandt jeg:',
    'Det her fandt jeg på flere sider:',
    'Det er, hvad jeg har læst om det: jeg citerer og skriver ingen egne tekster.',
    'Det ved jeg ikke: jeg har ikke fundet noget svar i det, jeg har læst.',
    'Det nærmeste, jeg kan tilbyde:',
    'Prøv med andre ord, eller spørg om noget andet.',
  ),
  fi: phrases(
    'Löysin tämän:',
    'Löysin tämän useilta sivuilta:',
    'Tämän olen lukenut aiheesta: lainaan, en kirjoita omia tekstejä.',
    'En tiedä: en löytänyt vastausta lukemastani.',
    'Lähimmäksi pääsevät nämä sivut:',
    'Kokeile muita sanoja tai kysy jotain muuta.',
  ),
  hu: phrases(
    'Ezt találtam:',
    'Erről több oldalon is találtam valamit:',
    'Ennyit olvastam erről: idézek, saját szöveget nem írok.',
    'Nem tudom: abban, amit olvastam, nem találtam rá választ.',
    'Ezek az oldalak állnak hozzá a legközelebb:',
    'Próbálja más szavakkal, vagy kérdezzen mást.',
  ),
  ro: phrases(
    'Iată ce am găsit:',
    'Am găsit acest lucru pe mai multe pagini:',
    'Atât am citit despre asta: citez, nu scriu texte proprii.',
    'Nu știu: nu am găsit un răspuns în ceea ce am citit.',
    'Cele mai apropiate pagini:',
    'Încercați cu alte cuvinte sau întrebați altceva.',
  ),
  tr: phrases(
    'Bulduğum şu:',
    'Bunu birden çok sayfada buldum:',
    'Bu konuda okuduklarım bunlar: alıntı yaparım, kendim metin yazmam.',
    'Bilmiyorum: okuduklarımda bunun yanıtını bulamadım.',
    'En yakın sayfalar:',
    'Lütfen başka sözcüklerle deneyin ya da başka bir şey sorun.',
  ),
  vi: phrases(
    'Đây là điều tôi tìm thấy:',
    'Tôi tìm thấy điều này ở nhiều trang:',
    'Đó là những gì tôi đã đọc về việc này: tôi chỉ trích dẫn, không tự viết bài.',
    'Tôi không biết: tôi không tìm thấy câu trả lời trong những gì đã đọc.',
    'Những trang gần nhất tôi có thể gợi ý:',
    'Vui lòng thử từ khác hoặc hỏi điều khác.',
  ),
  ru: phrases(
    'Вот что удалось найти:',
    'Об этом говорится на нескольких страницах:',
    'Это всё, что мне об этом известно: я цитирую и не пишу собственных текстов.',
    'Не знаю: в прочитанном ответа на это нет.',
    'Ближе всего к вопросу эти страницы:',
    'Попробуйте спросить другими словами или о чём-нибудь другом.',
  ),
  el: phrases(
    'Αυτό βρήκα:',
    'Το βρήκα σε περισσότερες από μία σελίδες:',
    'Αυτά έχω διαβάσει σχετικά: παραθέτω, δεν γράφω δικά μου κείμενα.',
    'Δεν ξέρω: δεν βρήκα απάντηση σε όσα έχω διαβάσει.',
    'Οι πιο σχετικές σελίδες:',
    'Δοκιμάστε με άλλες λέξεις ή ρωτήστε κάτι άλλο.',
  ),
  ar: phrases(
    'هذا ما وجدته:',
    'وجدت هذا في أكثر من صفحة:',
    'هذا ما قرأته عن الموضوع: أنا أقتبس ولا أكتب نصوصًا من عندي.',
    'لا أعرف: لم أجد جوابًا عن ذلك فيما قرأته.',
    'أقرب ما يمكنني تقديمه:',
    'جرّب كلمات أخرى أو اسأل عن شيء آخر.',
  ),
  hi: phrases(
    'मुझे यह मिला:',
    'मुझे यह एक से अधिक पृष्ठों पर मिला:',
    'इसके बारे में मैंने इतना ही पढ़ा है: मैं उद्धरण देता हूँ, अपना पाठ नहीं लिखता।',
    'मुझे नहीं पता: मैंने जो पढ़ा है उसमें इसका उत्तर नहीं मिला।',
    'सबसे निकट के पृष्ठ:',
    'कृपया दूसरे शब्दों में पूछें या कुछ और पूछें।',
  ),
  th: phrases(
    'ข้อมูลที่พบมีดังนี้:',
    'พบข้อมูลนี้ในหลายหน้า:',
    'ทั้งหมดที่อ่านพบเกี่ยวกับเรื่องนี้มีเท่านี้ ระบบยกข้อความมาให้ แต่ไม่ได้เขียนขึ้นเอง',
    'ไม่ทราบคำตอบ: ไม่พบคำตอบในข้อมูลที่ได้อ่านมา',
    'หน้าที่ใกล้เคียงที่สุด:',
    'โปรดลองใช้คำอื่น หรือถามเรื่องอื่น',
  ),
  zh: phrases(
    '我找到了以下内容：',
    '我在多个页面上找到了相关内容：',
    '关于这一点，我读到的就是这些：我只引用原文，不自己撰写。',
    '我不知道：在我读过的内容里没有找到答案。',
    '最接近的页面：',
    '请换一种说法，或者问别的问题。',
  ),
  ja: phrases(
    '次の記載が見つかりました：',
    '複数のページに記載がありました：',
    'これについて読んだ内容は以上です。引用のみで、文章の作成は行いません。',
    'わかりません。読んだ内容の中に答えが見つかりませんでした。',
    '最も近いページ：',
    '別の言葉で試すか、ほかのことをお尋ねください。',
  ),
  ko: phrases(
    '다음 내용을 찾았습니다:',
    '여러 페이지에서 관련 내용을 찾았습니다:',
    '이에 대해 읽은 내용은 여기까지입니다. 인용만 하고 글을 직접 쓰지는 않습니다.',
    '잘 모르겠습니다. 읽은 내용에서 답을 찾지 못했습니다.',
    '가장 가까운 페이지:',
    '다른 말로 다시 묻거나 다른 것을 물어보세요.',
  ),
  nb: phrases(
    'Dette fant jeg:',
    'Dette fant jeg på flere sider:',
    'Det er det jeg har lest om dette: jeg siterer og skriver ingen egne tekster.',
    'Det vet jeg ikke: jeg har ikke funnet noe svar i det jeg har lest.',
    'Det nærmeste jeg kan tilby:',
    'Prøv gjerne med andre ord, eller spør om noe annet.',
  ),
  cs: phrases(
    'Našel jsem toto:',
    'Píše se o tom na několika stránkách:',
    'To je vše, co jsem o tom četl: cituji a vlastní texty nepíšu.',
    'Nevím: v tom, co jsem četl, na to odpověď není.',
    'Nejblíže tomu jsou tyto stránky:',
    'Zkuste to prosím jinými slovy nebo se zeptejte na něco jiného.',
  ),
  uk: phrases(
    'Ось що вдалося знайти:',
    'Про це йдеться на кількох сторінках:',
    'Це все, що мені про це відомо: я цитую і не пишу власних текстів.',
    'Не знаю: у прочитаному відповіді на це немає.',
    'Найближче до запитання ці сторінки:',
    'Спробуйте запитати іншими словами або про щось інше.',
  ),
  bg: phrases(
    'Ето какво открих:',
    'За това се говори на няколко страници:',
    'Това е всичко, което прочетох по темата: цитирам и не пиша собствени текстове.',
    'Не знам: в прочетеното няма отговор на този въпрос.',
    'Най-близо до въпроса са тези страници:',
    'Опитайте с други думи или попитайте за нещо друго.',
  ),
  he: phrases(
    'זה מה שמצאתי:',
    'מצאתי על כך מידע בכמה עמודים:',
    'זה מה שקראתי בנושא: אני מצטט ולא כותב טקסטים משלי.',
    'אני לא יודע: לא מצאתי לכך תשובה במה שקראתי.',
    'העמודים הקרובים ביותר לשאלה:',
    'אפשר לנסות מילים אחרות או לשאול על משהו אחר.',
  ),
} as const satisfies Record<LanguageCode, Phrases>;

/** The phrases in the language of the question; `acceptedLanguages` as in `QueryLanguage.replyLanguage`. */
export const phrasesFor = (
  { language }: Pick<Query, 'language'>,
  found: { text: string }[],
  acceptedLanguages?: readonly string[],
): Phrases => PHRASES[language.replyLanguage(found, acceptedLanguages)];
