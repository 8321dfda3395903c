import { expect, test } from 'vitest';
import { estimateTokens } from '../../server/model/tokens.ts';

/** Tokens of each text by o200k, cl100k, Llama 3 and Mistral 7B, as their tokenizers count them. */
const COUNTS: [string, string, [number, number, number, number]][] = [
  [
    'en',
    'You may return the lamp within forty-five days of purchase if it is unused and in its original packaging. Delivery takes three to five working days and is free above €50.',
    [35, 35, 35, 38],
  ],
  [
    'de',
    'Sie können die Lampe innerhalb von fünfundvierzig Tagen nach dem Kauf zurückgeben, wenn sie unbenutzt und originalverpackt ist. Die Lieferung dauert drei bis fünf Werktage.',
    [40, 46, 46, 49],
  ],
  [
    'zh',
    '如果灯具未使用且包装完好,您可以在购买后四十五天内退货。送货需要三到五个工作日,订单满五百元免运费。',
    [41, 51, 42, 50],
  ],
  [
    'th',
    'คุณสามารถคืนโคมไฟได้ภายในสี่สิบห้าวันหลังการซื้อ หากยังไม่ได้ใช้งานและอยู่ในบรรจุภัณฑ์เดิม การจัดส่งใช้เวลาสามถึงห้าวันทำการ',
    [51, 118, 59, 126],
  ],
  [
    'ar',
    'يمكنك إرجاع المصباح خلال خمسة وأربعين يومًا من الشراء إذا لم يُستخدم وكان في عبوته الأصلية. يستغرق التوصيل من ثلاثة إلى خمسة أيام عمل.',
    [42, 95, 50, 123],
  ],
  [
    'ru',
    'Вы можете вернуть лампу в течение сорока пяти дней после покупки, если она не использовалась и находится в оригинальной упаковке. Доставка по России занимает от трёх до пяти рабочих дней, а бесплатна она при заказе от трёх тысяч рублей.',
    [56, 108, 71, 92],
  ],
  [
    'ja',
    'ランプは未使用で元の箱に入っている場合、購入後四十五日以内であれば返品できます。配送には三日から五日かかり、五千円以上のご注文は送料無料です。お問い合わせは営業時間内にお電話ください。',
    [58, 85, 62, 98],
  ],
  [
    'ko',
    '램프는 사용하지 않고 원래 포장 그대로라면 구매 후 사십오 일 이내에 반품할 수 있습니다. 배송은 영업일 기준 삼 일에서 오 일이 걸리며 오만 원 이상 주문하시면 무료입니다.',
    [52, 81, 53, 101],
  ],
  [
    'hi',
    'यदि लैंप का उपयोग नहीं किया गया है और वह मूल पैकेजिंग में है, तो आप खरीद के पैंतालीस दिनों के भीतर उसे वापस कर सकते हैं। डिलीवरी में तीन से पाँच कार्य दिवस लगते हैं।',
    [51, 167, 83, 169],
  ],
  [
    'he',
    'ניתן להחזיר את המנורה תוך ארבעים וחמישה ימים מיום הרכישה, אם לא נעשה בה שימוש והיא באריזתה המקורית. המשלוח אורך שלושה עד חמישה ימי עסקים.',
    [51, 130, 130, 137],
  ],
  [
    'el',
    'Μπορείτε να επιστρέψετε τη λάμπα εντός σαράντα πέντε ημερών από την αγορά, εφόσον δεν έχει χρησιμοποιηθεί και βρίσκεται στην αρχική της συσκευασία.',
    [46, 130, 51, 147],
  ],
  [
    'tr',
    'Lamba kullanılmamışsa ve orijinal ambalajındaysa, satın alma tarihinden itibaren kırk beş gün içinde iade edebilirsiniz. Teslimat üç ila beş iş günü sürer ve ücretsizdir.',
    [48, 66, 50, 79],
  ],
  [
    'pl',
    'Lampę można zwrócić w ciągu czterdziestu pięciu dni od zakupu, jeśli nie była używana i znajduje się w oryginalnym opakowaniu. Dostawa trwa od trzech do pięciu dni roboczych.',
    [51, 69, 67, 78],
  ],
  [
    'fi',
    'Voit palauttaa lampun neljänkymmenenviiden päivän kuluessa ostoksesta, jos sitä ei ole käytetty ja se on alkuperäispakkauksessaan. Toimitus kestää kolmesta viiteen arkipäivää.',
    [53, 67, 67, 77],
  ],
  [
    'vi',
    'Bạn có thể trả lại đèn trong vòng bốn mươi lăm ngày kể từ ngày mua nếu đèn chưa được sử dụng và còn nguyên bao bì. Giao hàng mất từ ba đến năm ngày làm việc.',
    [46, 74, 42, 103],
  ],
  [
    'ta',
    'விளக்கு பயன்படுத்தப்படாமல் அசல் பொதியில் இருந்தால், வாங்கிய நாற்பத்தைந்து நாட்களுக்குள் அதைத் திருப்பித் தரலாம்.',
    [33, 151, 151, 122],
  ],
  ['am', 'መብራቱ ጥቅም ላይ ካልዋለና በመጀመሪያው ማሸጊያ ውስጥ ካለ ከተገዛበት ቀን ጀምሮ በአርባ አምስት ቀናት ውስጥ መመለስ ይችላሉ።', [144, 185, 185, 178]],
  ['my', 'မီးအိမ်ကို အသုံးမပြုရသေးဘဲ မူလထုပ်ပိုးမှုအတိုင်းရှိပါက ဝယ်ယူပြီး လေးဆယ့်ငါးရက်အတွင်း ပြန်အပ်နိုင်ပါသည်။', [55, 202, 202, 151]],
  [
    'ka',
    'თქვენ შეგიძლიათ დააბრუნოთ ნათურა შეძენიდან ორმოცდახუთი დღის განმავლობაში, თუ ის არ არის გამოყენებული.',
    [30, 187, 187, 101],
  ],
  ['table', '| 2026-03-14 | 48213 | $129.95 | 7 |\n| 2026-03-15 | 90117 | $4.50 | 12 |', [42, 42, 42, 62]],
  [
    'code',
    'export const add = (a: number, b: number): number => {\n  return a + b; // no overflow\n};',
    [27, 27, 27, 28],
  ],
  ['url', 'https://shop.example.com/p/1f9k2x?ref=9d3e&utm_source=mail_2026', [27, 27, 27, 35]],
  ['emoji', '😀🎉🏳️‍🌈👩‍💻❤️😀🎉🏳️‍🌈👩‍💻❤️', [30, 48, 42, 46]],
];

test.each(COUNTS)('%s: no vocabulary has more tokens, one of 32,000 words a sixth more at most', (_, text, counts) => {
  const [o200k, cl100k, llama3, mistral] = counts;
  const estimate = estimateTokens(text);
  expect(estimate).toBeGreaterThanOrEqual(Math.max(o200k, cl100k, llama3));
  expect(estimate * 1.17).toBeGreaterThanOrEqual(mistral);
});

test('an estimate for English is at most half more than what a model counts', () => {
  const [, text, [o200k]] = COUNTS.find(([name]) => name === 'en')!;
  expect(estimateTokens(text)).toBeLessThanOrEqual(o200k * 1.5);
});

test('lines have as many tokens together as each alone', () => {
  const lines = COUNTS.map(([, text]) => text);
  const sum = lines.reduce((tokens, line) => tokens + estimateTokens(`${line}\n`), 0);
  expect(Math.abs(estimateTokens(`${lines.join('\n')}\n`) - sum)).toBeLessThan(lines.length);
});
