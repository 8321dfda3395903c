import type { LanguageCode } from '../../knowledge/text/languages.ts';

/** What an answer says of functions where no model words it. */
interface LookupPhrases {
  /** A function that reads was called, and gave nothing to show. */
  failed: string;
  /** Before what a variable is that such a function lacks. */
  needs: string;
  /** The model does not answer, so that no function is called. */
  noModel: string;
}

const phrases = (failed: string, needs: string, noModel: string): LookupPhrases => ({ failed, needs, noModel });

export const LOOKUP_PHRASES: Record<LanguageCode, LookupPhrases> = {
  en: phrases(
    'I could not look that up at the moment.',
    'To look that up I need:',
    'At the moment I cannot look anything up or change anything for you.',
  ),
  de: phrases(
    'Das konnte ich im Moment nicht nachsehen.',
    'Um das nachzusehen, brauche ich:',
    'Im Moment kann ich für Sie nichts nachsehen und nichts ändern.',
  ),
  es: phrases(
    'No he podido consultarlo en este momento.',
    'Para consultarlo necesito:',
    'En este momento no puedo consultar ni cambiar nada.',
  ),
  fr: phrases(
    'Je n’ai pas pu vérifier cela pour le moment.',
    'Pour vérifier cela, il me faut :',
    'Pour le moment, je ne peux rien vérifier ni rien modifier pour vous.',
  ),
  it: phrases(
    'Al momento non ho potuto controllarlo.',
    'Per controllarlo mi serve:',
    'Al momento non posso controllare né modificare nulla.',
  ),
  pt: phrases(
    'De momento não consegui consultar isso.',
    'Para consultar isso, preciso de:',
    'De momento não posso consultar nem alterar nada.',
  ),
  nl: phrases(
    'Dat kon ik op dit moment niet opzoeken.',
    'Om dat op te zoeken heb ik dit nodig:',
    'Op dit moment kan ik niets voor u opzoeken of wijzigen.',
  ),
  pl: phrases(
    'W tej chwili nie udało się tego sprawdzić.',
    'Aby to sprawdzić, potrzebuję:',
    'W tej chwili nie mogę niczego sprawdzić ani zmienić.',
  ),
  sv: phrases(
    'Jag kunde inte slå upp det just nu.',
    'För att slå upp det behöver jag:',
    'Just nu kan jag inte slå upp eller ändra något.',
  ),
  da: phrases(
    'Jeg kunne ikke slå det op lige nu.',
    'For at slå det op skal jeg bruge:',
    'Lige nu kan jeg ikke slå noget op eller ændre noget.',
  ),
  fi: phrases(
    'En voinut tarkistaa sitä juuri nyt.',
    'Tarkistamiseen tarvitsen:',
    'Juuri nyt en voi tarkistaa enkä muuttaa mitään.',
  ),
  hu: phrases(
    'Ezt most nem tudtam megnézni.',
    'Ennek megnézéséhez erre van szükségem:',
    'Jelenleg semmit sem tudok megnézni vagy módosítani.',
  ),
  ro: phrases(
    'Nu am putut verifica acest lucru în acest moment.',
    'Pentru a verifica acest lucru am nevoie de:',
    'În acest moment nu pot verifica și nu pot modifica nimic.',
  ),
  tr: phrases(
    'Şu anda buna bakamadım.',
    'Buna bakmak için şu gerekli:',
    'Şu anda hiçbir şeye bakamıyor ve hiçbir şeyi değiştiremiyorum.',
  ),
  vi: phrases(
    'Hiện tại tôi không thể tra cứu điều đó.',
    'Để tra cứu, tôi cần:',
    'Hiện tại tôi không thể tra cứu hay thay đổi gì.',
  ),
  ru: phrases(
    'Сейчас не удалось это проверить.',
    'Чтобы это проверить, мне нужно:',
    'Сейчас я не могу ничего проверить или изменить.',
  ),
  el: phrases(
    'Δεν μπόρεσα να το ελέγξω αυτή τη στιγμή.',
    'Για να το ελέγξω χρειάζομαι:',
    'Αυτή τη στιγμή δεν μπορώ να ελέγξω ούτε να αλλάξω κάτι.',
  ),
  ar: phrases(
    'تعذّر عليّ البحث عن ذلك في الوقت الحالي.',
    'للبحث عن ذلك أحتاج إلى:',
    'لا يمكنني في الوقت الحالي البحث عن أي شيء أو تغييره.',
  ),
  hi: phrases('अभी मैं यह नहीं देख सका।', 'यह देखने के लिए मुझे चाहिए:', 'अभी मैं न कुछ देख सकता हूँ और न कुछ बदल सकता हूँ।'),
  th: phrases('ขณะนี้ไม่สามารถตรวจสอบเรื่องนี้ได้', 'ในการตรวจสอบเรื่องนี้ต้องใช้:', 'ขณะนี้ไม่สามารถตรวจสอบหรือเปลี่ยนแปลงอะไรได้'),
  zh: phrases('目前无法查询。', '查询需要：', '目前无法查询或更改任何内容。'),
  ja: phrases('現在、確認できませんでした。', '確認するには次の情報が必要です：', '現在、確認や変更はできません。'),
  ko: phrases(
    '지금은 확인할 수 없었습니다.',
    '확인하려면 다음 정보가 필요합니다:',
    '지금은 아무것도 확인하거나 변경할 수 없습니다.',
  ),
  nb: phrases(
    'Jeg kunne ikke slå det opp akkurat nå.',
    'For å slå det opp trenger jeg:',
    'Akkurat nå kan jeg ikke slå opp eller endre noe.',
  ),
  cs: phrases('To se teď nepodařilo zjistit.', 'Ke zjištění potřebuji:', 'Momentálně nemohu nic zjistit ani změnit.'),
  uk: phrases(
    'Зараз не вдалося це перевірити.',
    'Щоб це перевірити, мені потрібно:',
    'Зараз я не можу нічого перевірити чи змінити.',
  ),
  bg: phrases(
    'В момента не можах да проверя това.',
    'За да проверя това, ми е нужно:',
    'В момента не мога да проверя или променя нищо.',
  ),
  he: phrases('לא הצלחתי לבדוק את זה כרגע.', 'כדי לבדוק את זה נדרש:', 'כרגע איני יכול לבדוק או לשנות דבר.'),
};
