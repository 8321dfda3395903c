import type { LanguageCode } from '../../../knowledge/text/languages.ts';

/** To who says that an answer does not help, who praises, and before `ready` to who says their name. */
interface ToRemarks {
  complaint: string;
  praise: string;
  name: string;
}

const to = (complaint: string, praise: string, name: string): ToRemarks => ({ complaint, praise, name });

export const TO_REMARKS: Record<LanguageCode, ToRemarks> = {
  en: to(
    'I am sorry that this did not help. Please ask again in other words: I answer only from what I have read of this site.',
    'Thank you, that is good to hear!',
    'Nice to meet you!',
  ),
  de: to(
    'Es tut mir leid, dass das nicht geholfen hat. Fragen Sie bitte noch einmal mit anderen Worten: Ich antworte nur aus dem, was ich von dieser Website gelesen habe.',
    'Danke, das freut mich!',
    'Freut mich!',
  ),
  nl: to(
    'Het spijt me dat dit niet hielp. Vraag het alstublieft nog eens in andere woorden: ik antwoord alleen met wat ik van deze website heb gelezen.',
    'Dank u, dat is fijn om te horen!',
    'Aangenaam!',
  ),
  es: to(
    'Siento que esto no le haya ayudado. Pregúntelo otra vez con otras palabras, por favor: solo respondo con lo que he leído de este sitio.',
    '¡Gracias, me alegra leerlo!',
    '¡Mucho gusto!',
  ),
  fr: to(
    'Je suis désolé que cela ne vous ait pas aidé. Reformulez votre question, s’il vous plaît : je ne réponds qu’à partir de ce que j’ai lu de ce site.',
    'Merci, cela fait plaisir !',
    'Enchanté !',
  ),
  it: to(
    'Mi dispiace che non sia stato d’aiuto. Provi a chiederlo con altre parole: rispondo solo con quello che ho letto di questo sito.',
    'Grazie, fa piacere saperlo!',
    'Piacere!',
  ),
  pt: to(
    'Lamento que isto não tenha ajudado. Pergunte de novo com outras palavras, por favor: só respondo com o que li deste site.',
    'Obrigado, é bom saber isso!',
    'Muito prazer!',
  ),
  ro: to(
    'Îmi pare rău că nu v-a fost de ajutor. Întrebați, vă rog, cu alte cuvinte: răspund doar din ce am citit pe acest site.',
    'Mulțumesc, mă bucur să aud asta!',
    'Îmi pare bine!',
  ),
  sv: to(
    'Jag beklagar att det inte hjälpte. Fråga gärna igen med andra ord: jag svarar bara utifrån det jag har läst på webbplatsen.',
    'Tack, det var roligt att höra!',
    'Trevligt att träffas!',
  ),
  da: to(
    'Jeg beklager, at det ikke hjalp. Spørg gerne igen med andre ord: Jeg svarer kun ud fra det, jeg har læst på webstedet.',
    'Tak, det er rart at høre!',
    'Rart at møde dig!',
  ),
  nb: to(
    'Jeg beklager at dette ikke hjalp. Spør gjerne igjen med andre ord: Jeg svarer bare ut fra det jeg har lest på nettstedet.',
    'Takk, det var hyggelig å høre!',
    'Hyggelig å møte deg!',
  ),
  fi: to(
    'Pahoittelen, ettei tästä ollut apua. Kysy uudelleen toisin sanoin: vastaan vain sen perusteella, mitä olen lukenut tältä sivustolta.',
    'Kiitos, mukava kuulla!',
    'Hauska tutustua!',
  ),
  pl: to(
    'Przykro mi, że to nie pomogło. Proszę zapytać jeszcze raz innymi słowami: odpowiadam tylko na podstawie tego, co przeczytałem na tej witrynie.',
    'Dziękuję, miło to słyszeć!',
    'Miło mi!',
  ),
  cs: to(
    'Je mi líto, že to nepomohlo. Zeptejte se prosím znovu jinými slovy: odpovídám jen z toho, co jsem na tomto webu přečetl.',
    'Děkuji, to rád slyším!',
    'Těší mě!',
  ),
  ru: to(
    'Мне жаль, что это не помогло. Спросите, пожалуйста, другими словами: я отвечаю только по тому, что прочитал на этом сайте.',
    'Спасибо, приятно это слышать!',
    'Приятно познакомиться!',
  ),
  uk: to(
    'Мені шкода, що це не допомогло. Запитайте, будь ласка, іншими словами: я відповідаю лише з того, що прочитав на цьому сайті.',
    'Дякую, приємно це чути!',
    'Приємно познайомитися!',
  ),
  bg: to(
    'Съжалявам, че това не помогна. Моля, попитайте отново с други думи: отговарям само от това, което съм прочел на този сайт.',
    'Благодаря, радвам се да го чуя!',
    'Приятно ми е!',
  ),
  el: to(
    'Λυπάμαι που αυτό δεν βοήθησε. Ρωτήστε ξανά με άλλα λόγια: απαντώ μόνο με όσα έχω διαβάσει από αυτόν τον ιστότοπο.',
    'Ευχαριστώ, χαίρομαι που το ακούω!',
    'Χαίρω πολύ!',
  ),
  tr: to(
    'Bunun yardımcı olmadığına üzüldüm. Lütfen başka sözcüklerle yeniden sorun: yalnızca bu sitede okuduklarımdan yanıt veririm.',
    'Teşekkürler, bunu duymak güzel!',
    'Memnun oldum!',
  ),
  hu: to(
    'Sajnálom, hogy ez nem segített. Kérem, kérdezze meg más szavakkal: csak abból válaszolok, amit erről a webhelyről olvastam.',
    'Köszönöm, ezt jó hallani!',
    'Örvendek!',
  ),
  ar: to(
    'يؤسفني أن هذا لم يفدك. أعد السؤال من فضلك بكلمات أخرى: لا أجيب إلا مما قرأته في هذا الموقع.',
    'شكرًا، يسعدني سماع ذلك!',
    'سعدت بمعرفتك!',
  ),
  he: to(
    'צר לי שזה לא עזר. אפשר לשאול שוב במילים אחרות: אני עונה רק לפי מה שקראתי באתר הזה.',
    'תודה, נעים לשמוע!',
    'נעים להכיר!',
  ),
  hi: to(
    'खेद है कि इससे मदद नहीं मिली। कृपया दूसरे शब्दों में फिर पूछिए: मैं केवल इस साइट पर पढ़ी हुई बातों से उत्तर देता हूँ।',
    'धन्यवाद, यह जानकर खुशी हुई!',
    'आपसे मिलकर खुशी हुई!',
  ),
  vi: to(
    'Rất tiếc vì điều đó chưa giúp được bạn. Bạn hãy hỏi lại bằng từ khác: tôi chỉ trả lời từ những gì đã đọc trên trang web này.',
    'Cảm ơn bạn, thật vui khi nghe vậy!',
    'Rất vui được gặp bạn!',
  ),
  zh: to(
    '很抱歉这没有帮到您。请换个说法再问一次：我只根据从本网站读到的内容回答。',
    '谢谢，很高兴听到这个！',
    '很高兴认识您！',
  ),
  ja: to(
    'お役に立てず申し訳ありません。別の言葉でもう一度お聞きください。このサイトで読んだ内容からのみお答えしています。',
    'ありがとうございます。うれしいです。',
    'はじめまして。',
  ),
  ko: to(
    '도움이 되지 못해 죄송합니다. 다른 말로 다시 물어봐 주세요. 저는 이 사이트에서 읽은 내용으로만 답변합니다.',
    '감사합니다. 그렇게 말씀해 주시니 기쁩니다!',
    '만나서 반갑습니다!',
  ),
  th: to('ขออภัยที่คำตอบนี้ไม่ช่วย โปรดถามอีกครั้งด้วยคำอื่น ฉันตอบจากสิ่งที่อ่านบนเว็บไซต์นี้เท่านั้น', 'ขอบคุณ ดีใจที่ได้ยินเช่นนั้น', 'ยินดีที่ได้รู้จัก'),
};
