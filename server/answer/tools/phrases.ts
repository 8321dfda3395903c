import type { LanguageCode } from '../../knowledge/text/languages.ts';

/** What an answer says of calls by itself, whatever the model writes. Names of functions follow the colon. */
interface ToolPhrases {
  notDone: string;
  unsure: string;
  done: string;
  /** Where nobody can confirm. */
  needsChat: string;
  confirm: string;
}

const phrases = (notDone: string, unsure: string, done: string, needsChat: string, confirm: string): ToolPhrases => ({
  notDone,
  unsure,
  done,
  needsChat,
  confirm,
});

export const TOOL_PHRASES: Record<LanguageCode, ToolPhrases> = {
  en: phrases(
    'This was not done:',
    'It is not certain that this was done:',
    'This was done:',
    'This was not done, since it has to be confirmed, which is not possible here:',
    'Please confirm before this is done:',
  ),
  de: phrases(
    'Das wurde nicht ausgeführt:',
    'Es ist nicht sicher, ob das ausgeführt wurde:',
    'Das wurde ausgeführt:',
    'Das wurde nicht ausgeführt, weil es bestätigt werden muss und das hier nicht möglich ist:',
    'Bitte bestätigen Sie, bevor das ausgeführt wird:',
  ),
  es: phrases(
    'Esto no se ha hecho:',
    'No es seguro que esto se haya hecho:',
    'Esto se ha hecho:',
    'Esto no se ha hecho, porque debe confirmarse y aquí no es posible:',
    'Confirme antes de que se haga esto:',
  ),
  fr: phrases(
    'Ceci n’a pas été fait :',
    'Il n’est pas certain que ceci ait été fait :',
    'Ceci a été fait :',
    'Ceci n’a pas été fait, car une confirmation est nécessaire, ce qui n’est pas possible ici :',
    'Veuillez confirmer avant que ceci soit fait :',
  ),
  it: phrases(
    'Questo non è stato fatto:',
    'Non è certo che questo sia stato fatto:',
    'Questo è stato fatto:',
    'Questo non è stato fatto, perché va confermato e qui non è possibile:',
    'Confermi prima che venga fatto questo:',
  ),
  pt: phrases(
    'Isto não foi feito:',
    'Não é certo que isto tenha sido feito:',
    'Isto foi feito:',
    'Isto não foi feito, porque tem de ser confirmado e aqui não é possível:',
    'Confirme antes de isto ser feito:',
  ),
  nl: phrases(
    'Dit is niet gedaan:',
    'Het is niet zeker of dit is gedaan:',
    'Dit is gedaan:',
    'Dit is niet gedaan, omdat het bevestigd moet worden en dat hier niet kan:',
    'Bevestig dit voordat het wordt gedaan:',
  ),
  pl: phrases(
    'Tego nie zrobiono:',
    'Nie ma pewności, czy to zrobiono:',
    'To zrobiono:',
    'Tego nie zrobiono, bo wymaga potwierdzenia, a tutaj nie jest to możliwe:',
    'Proszę potwierdzić, zanim to zostanie zrobione:',
  ),
  sv: phrases(
    'Detta gjordes inte:',
    'Det är inte säkert att detta gjordes:',
    'Detta gjordes:',
    'Detta gjordes inte, eftersom det måste bekräftas och det inte går här:',
    'Bekräfta innan detta görs:',
  ),
  da: phrases(
    'Dette blev ikke gjort:',
    'Det er ikke sikkert, at dette blev gjort:',
    'Dette blev gjort:',
    'Dette blev ikke gjort, fordi det skal bekræftes, og det er ikke muligt her:',
    'Bekræft, før dette gøres:',
  ),
  fi: phrases(
    'Tätä ei tehty:',
    'Ei ole varmaa, tehtiinkö tämä:',
    'Tämä tehtiin:',
    'Tätä ei tehty, koska se on vahvistettava, eikä se ole täällä mahdollista:',
    'Vahvista, ennen kuin tämä tehdään:',
  ),
  hu: phrases(
    'Ez nem történt meg:',
    'Nem biztos, hogy ez megtörtént:',
    'Ez megtörtént:',
    'Ez nem történt meg, mert meg kell erősíteni, és ez itt nem lehetséges:',
    'Kérjük, erősítse meg, mielőtt ez megtörténik:',
  ),
  ro: phrases(
    'Acest lucru nu s-a făcut:',
    'Nu este sigur că acest lucru s-a făcut:',
    'Acest lucru s-a făcut:',
    'Acest lucru nu s-a făcut, deoarece trebuie confirmat, iar aici nu este posibil:',
    'Confirmați înainte să se facă acest lucru:',
  ),
  tr: phrases(
    'Bu yapılmadı:',
    'Bunun yapılıp yapılmadığı kesin değil:',
    'Bu yapıldı:',
    'Bu yapılmadı, çünkü onaylanması gerekiyor ve bu burada mümkün değil:',
    'Bu yapılmadan önce lütfen onaylayın:',
  ),
  vi: phrases(
    'Việc này chưa được thực hiện:',
    'Không chắc việc này đã được thực hiện:',
    'Việc này đã được thực hiện:',
    'Việc này chưa được thực hiện vì cần được xác nhận, mà ở đây không thể xác nhận:',
    'Vui lòng xác nhận trước khi thực hiện việc này:',
  ),
  ru: phrases(
    'Это не выполнено:',
    'Нет уверенности, что это выполнено:',
    'Это выполнено:',
    'Это не выполнено, так как требуется подтверждение, а здесь оно невозможно:',
    'Подтвердите, прежде чем это будет выполнено:',
  ),
  el: phrases(
    'Αυτό δεν έγινε:',
    'Δεν είναι βέβαιο ότι αυτό έγινε:',
    'Αυτό έγινε:',
    'Αυτό δεν έγινε, επειδή πρέπει να επιβεβαιωθεί και εδώ αυτό δεν είναι δυνατό:',
    'Επιβεβαιώστε πριν γίνει αυτό:',
  ),
  ar: phrases(
    'لم يتم تنفيذ هذا:',
    'ليس من المؤكد أن هذا قد تم تنفيذه:',
    'تم تنفيذ هذا:',
    'لم يتم تنفيذ هذا لأنه يحتاج إلى تأكيد، وهذا غير ممكن هنا:',
    'يرجى التأكيد قبل تنفيذ هذا:',
  ),
  hi: phrases(
    'यह नहीं किया गया:',
    'यह निश्चित नहीं है कि यह किया गया:',
    'यह किया गया:',
    'यह नहीं किया गया, क्योंकि इसकी पुष्टि ज़रूरी है और यहाँ यह संभव नहीं है:',
    'यह करने से पहले कृपया पुष्टि करें:',
  ),
  th: phrases(
    'ยังไม่ได้ดำเนินการนี้:',
    'ไม่แน่ใจว่าได้ดำเนินการนี้แล้วหรือไม่:',
    'ดำเนินการนี้แล้ว:',
    'ยังไม่ได้ดำเนินการนี้ เพราะต้องยืนยันก่อน ซึ่งทำที่นี่ไม่ได้:',
    'โปรดยืนยันก่อนดำเนินการนี้:',
  ),
  zh: phrases(
    '以下操作未执行：',
    '无法确定以下操作是否已执行：',
    '以下操作已执行：',
    '以下操作未执行，因为需要确认，而此处无法确认：',
    '执行以下操作前请确认：',
  ),
  ja: phrases(
    '次の操作は実行されませんでした：',
    '次の操作が実行されたかどうかは不明です：',
    '次の操作を実行しました：',
    '確認が必要ですが、ここでは確認できないため、次の操作は実行されませんでした：',
    '次の操作を実行する前に確認してください：',
  ),
  ko: phrases(
    '다음 작업은 실행되지 않았습니다:',
    '다음 작업이 실행되었는지 확실하지 않습니다:',
    '다음 작업을 실행했습니다:',
    '확인이 필요하지만 여기서는 확인할 수 없어 다음 작업은 실행되지 않았습니다:',
    '다음 작업을 실행하기 전에 확인해 주세요:',
  ),
  nb: phrases(
    'Dette ble ikke gjort:',
    'Det er ikke sikkert at dette ble gjort:',
    'Dette ble gjort:',
    'Dette ble ikke gjort, fordi det må bekreftes, og det er ikke mulig her:',
    'Bekreft før dette gjøres:',
  ),
  cs: phrases(
    'Toto nebylo provedeno:',
    'Není jisté, zda to bylo provedeno:',
    'Toto bylo provedeno:',
    'Toto nebylo provedeno, protože to je třeba potvrdit a zde to není možné:',
    'Než se to provede, prosím potvrďte:',
  ),
  uk: phrases(
    'Це не виконано:',
    'Немає певності, що це виконано:',
    'Це виконано:',
    'Це не виконано, бо потрібне підтвердження, а тут воно неможливе:',
    'Підтвердьте, перш ніж це буде виконано:',
  ),
  bg: phrases(
    'Това не беше направено:',
    'Не е сигурно дали това беше направено:',
    'Това беше направено:',
    'Това не беше направено, защото трябва да се потвърди, а тук това не е възможно:',
    'Моля, потвърдете, преди това да бъде направено:',
  ),
  he: phrases(
    'זה לא בוצע:',
    'לא ודאי שזה בוצע:',
    'זה בוצע:',
    'זה לא בוצע, מפני שנדרש אישור, והדבר אינו אפשרי כאן:',
    'נא לאשר לפני שזה יבוצע:',
  ),
};
