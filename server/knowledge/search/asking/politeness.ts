/**
 * Questions of politeness, which no page answers: how are you, can you help me, may I ask something. A closed class: each
 * language has few ways of asking them.
 */
const QUESTIONS = [
  // English
  `how are you(?: all)?(?: doing)?(?: today)?`,
  `how(?:['’]s| is) it going`,
  `(?:(?:can|could|would|will) (?:you|someone|anyone|anybody)|would anyone be able to)(?: please| kindly| possibly)? (?:help|assist)(?: (?:me|us))?(?: out)?(?: please| with (?:this|something|a question))?`,
  `(?:may|can|could) i (?:just |quickly )?ask (?:you )?(?:guys )?(?:a|one|something|a quick|about something) ?(?:quick )?(?:question|thing)?`,
  `(?:would|do) you mind (?:telling|helping|answering|explaining)(?: me| us)?(?: out| with)?(?: something| this| a question| one thing)?(?:,? please)?`,
  `(?:is|does|was|would) (?:that|this|it) (?:be |sound |seem |make )?(?:a |too )?(?:silly|stupid|dumb|weird|strange|odd|ok|okay|possible|sense|clear|much to ask)(?: question)?`,
  `(?:any|some) (?:idea|ideas|thoughts|clue|chance|help|advice)`,
  `(?:is )?(?:anyone|anybody|somebody|someone) (?:there|here)`,
  `(?:do|does|would) (?:you|anyone|anybody) (?:know|have (?:any|an) idea)`,
  `right|ok|okay|yes|no|huh|hello|please|really|(?:you )?(?:know|guess) what(?: happened)?|(?:can|would) you believe (?:it|that)`,
  `who (?:does|would)n['’]?t (?:like|love|want|enjoy|know).*|(?:do )?you know what i mean`,
  // German
  `wie geht(?:['’]?s| es)(?: (?:ihnen|dir|euch))?`,
  `(?:alles|geht['’]?s) (?:gut|klar)(?: bei (?:euch|ihnen|dir))?`,
  `(?:können sie|könnten sie|kannst du|könnt ihr|könntet ihr|kann)(?: mir| uns)?(?: bitte| da| hier)?(?: mir| uns)?(?: jemand)?(?: bitte)?(?: kurz)? (?:weiter)?helfen`,
  `(?:darf|dürfte|kann|könnte) ich (?:sie|euch|dich)?\\s*(?:mal|kurz|bitte)?\\s*(?:etwas|was|eine frage)?\\s*(?:fragen|stellen)`,
  // Spanish, Portuguese
  `(?:cómo|como|qué tal) (?:está[ns]?|estáis|va(?: todo)?)(?: ustedes)?|qué tal|todo bien|tudo bem(?: com vocês)?|tudo bom|como (?:vai|vão|estão)`,
  `(?:me )?(?:pued|podr)(?:e|en|es|ía|ían|ías)(?: ustedes)? (?:ayudar|orientar)(?:me|nos)?`,
  `(?:le|les|te)? ?(?:puedo|podría) (?:hacer(?:les?|te)?|preguntar(?:les?|te)?)(?: una (?:pregunta|consulta|cosa)| algo)?`,
  `(?:você |vocês )?(?:pode|podem|poderia|poderiam)(?: me)? ajudar(?:-me)?|posso (?:fazer|tirar) uma (?:pergunta|dúvida)|posso perguntar uma coisa`,
  // French
  `(?:comment (?:allez[- ]vous|ça va|vas[- ]tu)|ça va|vous allez bien)`,
  `(?:est-ce que )?(?:pouvez|pourriez|peux|pourrais)?[- ]?(?:vous|tu)?(?: pouvez| pourriez)? (?:m['’]aider|me renseigner|m['’]éclairer|me dire)`,
  `(?:puis-je|est-ce que je peux|je peux) (?:vous )?(?:poser une (?:petite )?question|demander quelque chose)`,
  // Italian
  `come (?:va|sta|state|stai)|tutto bene`,
  `(?:mi )?(?:può|puoi|potete|potrebbe|potreste)(?: per favore)? (?:aiutar(?:e|mi|ci)|dare una mano)`,
  `(?:posso|potrei) (?:chieder(?:e|vi|le|ti)|far(?:e|vi|le|ti))(?: una (?:domanda|cosa)| qualcosa)?`,
  // Dutch
  `(?:hoe gaat het|alles goed)(?: (?:met )?(?:u|je|jullie))?(?: allemaal)?`,
  `(?:kunt u|kun je|kunnen jullie|kan iemand|zou u)(?: me| mij| ons)?(?: even| misschien)? (?:verder)?helpen|(?:mag|kan|zou) ik (?:u |je |jullie )?(?:iets|wat|even iets)(?: mogen)? vragen`,
  // Swedish, Danish, Norwegian
  `hur (?:mår|är det med) (?:du|ni|dig|er)|hvordan (?:går det|har (?:du|i|dere) det)|(?:kan|skulle) (?:du|ni|i|dere|någon|nogen|noen)(?: kunna)? (?:hjälpa|hjælpe|hjelpe)(?: till| mig| meg| mej| oss| os)?|(?:får|kan|må) (?:jag|jeg) (?:fråga|spørge|spørre)(?: om)? ?(?:en sak|om noget|noe|något)?`,
  // Polish, Czech
  `(?:co słychać|jak się (?:masz|państwo mają))|czy (?:ktoś )?(?:może|możecie|mogą|mógłby|moglibyście)(?: państwo)?(?: mi)?(?: ktoś)? pomóc|czy mogę (?:o coś )?(?:zapytać|spytać|zadać pytanie)|(?:jak se máte|můžete mi (?:prosím )?(?:pomoci|poradit)|mohu se na něco zeptat)`,
  // Turkish
  `nasıl(?:sın(?:ız)?)?|yardımcı olabilir misiniz|bana yardım (?:eder|edebilir) misiniz|bir şey sorabilir miyim`,
  // Russian, Ukrainian
  `как (?:у вас )?дела|(?:вы )?(?:можете|могли бы(?: вы)?|не могли бы вы)(?: мне)? (?:помочь|подсказать)|(?:можно|могу(?: ли)?(?: я)?)(?: вас)?(?: (?:задать )?вопрос| спросить)|як (?:у вас )?справи|(?:чи )?(?:можете|могли б)(?: ви)?(?: мені)? допомогти`,
  // Greek
  `τι κάνετε|πώς είστε|(?:θα )?(?:μπορείτε|μπορούσατε) να με (?:βοηθήσετε|ενημερώσετε)|(?:μπορώ|θα μπορούσα) να (?:σας )?ρωτήσω(?: κάτι)?`,
  // Arabic
  `كيف (?:حالك(?:م)?|الحال)|هل (?:يمكنك(?:م)?|تستطيعون|بإمكانكم) (?:مساعدتي|أن تساعدوني)|(?:هل )?(?:ممكن|يمكنني)(?: أن)?(?: أسأل)?(?: سؤال)?`,
  // Vietnamese
  `(?:các )?bạn (?:có )?khỏe không|(?:các )?bạn có thể giúp (?:mình|tôi|em)(?: một chút| với)?(?: được)?(?: không)?|(?:cho )?(?:mình|tôi|em) hỏi(?: chút| một chút| với)?(?: được không)?`,
  // Hindi
  `(?:आप )?कैसे हैं|क्या (?:आप )?(?:मेरी )?(?:मदद|सहायता) (?:कर सकते हैं|करेंगे)|क्या मैं (?:कुछ|एक सवाल|एक बात) पूछ (?:सकता|सकती) हूँ`,
  // Chinese, Japanese, Thai: no spaces
  `(?:你|您|你们|大家)好吗|(?:可以|能|能不能|可不可以)(?:请)?(?:帮|帮个|帮一下|帮帮)(?:我|忙|我一下)?(?:吗|一下吗)?|(?:可以|能|想)(?:请)?问(?:一下|个问题|一个问题)(?:吗)?|在吗|有人吗`,
  `お元気ですか|(?:質問|お聞き)(?:して|しても)(?:も)?(?:いい|よろしい)(?:です|でしょう)か|助けて(?:いただけ|もらえ)ますか`,
  `สบายดีไหม|(?:ขอ|รบกวน)?(?:สอบ)?ถาม(?:หน่อย)?(?:ได้ไหม)?|ช่วย(?:หน่อย|ด้วย)?(?:ได้ไหม)?`,
];
const PARTICLES = '(?:ค่ะ|คะ|ครับ|นะ|จ้า|呢|啊|呀|ね)*';
const POLITE_QUESTION = new RegExp(`^\\P{L}*(?:${QUESTIONS.join('|')})${PARTICLES}\\P{L}*$`, 'u');

/** UTF-16 units of a sentence that is looked at: longer ones ask something. */
const MAX_POLITE_LENGTH = 80;

/** Whom one greets before it: “Hi everybody, how are you?” */
const GREETED = /^\P{L}*\p{L}+(?: \p{L}+){0,2}[,،] /u;

/** Whether a sentence asks nothing but how the other is, for help, or whether one may ask. */
export const isPoliteQuestion = (sentence: string): boolean =>
  sentence.length <= MAX_POLITE_LENGTH && isPolite(sentence.toLowerCase());

const isPolite = (lower: string): boolean =>
  POLITE_QUESTION.test(lower) || POLITE_QUESTION.test(lower.replace(GREETED, ''));

/** How thanks and closings begin. */
export const THANKS = `(?:many |much |(?:a )?big )?(?:thanks|thx|thnx|thanx|tnx|tks)|thank (?:you|u)|cheers|no (?:rush|hurry)|(?:yours )?(?:sincerely|faithfully)|(?:kind|best|warm) (?:regards|wishes)|mit freundlichen grüßen|(?:viele|liebe|schöne|beste) grüße|(?:un )?saludos?(?=,)|atentamente|cordialement|bonne (?:journée|soirée)|cordiali saluti|met vriendelijke groet|pozdrawiam|s pozdravem|(?:vielen|herzlichen|besten|lieben) dank|danke|(?:muchas |mil )?gracias|(?:les?|os|te) agradezco|merci|je vous remercie|(?:mille |molte )?grazie|vi ringrazio|(?:muito )?obrigad[oa]|desde já|(?:alvast |hartelijk )?(?:bedankt|dank (?:je|u|jullie|voor))|(?:alvast|hartelijk) dank|tack(?: på)|(?:tusen |mange )?takk?(?: på| for)|(?:z góry )?(?:dziękuję|dzięki)|(?:předem )?děkuji|(?:şimdiden )?(?:çok )?teşekkür|(?:заранее )?(?:большое )?спасибо|благодарю|(?:щиро )?дякую|ευχαριστώ|شكرا|جزاكم|धन्यवाद|आपका बहुत|cảm ơn`;

/** What people type for hello, please and thanks in a chat: words of no page. */
const CHAT_WORDS = new Set(
  `hi hii hiya hey heya heyy yo hello hallo helo thx thnx thanx tks thks ty tysm u ur r pls plz plss pleas asap ok okay kk lol
  cheers ta btw fyi imo afaik sry soz tia lg mfg vg slt stp svp cdlt bjr merci danke grazie gracias obrigado obrigada bedankt tack
  takk tak dzięki spasibo teşekkürler спс пж пжл`.split(/\s+/),
);

/** Letters of which more than two stand together count once: hiii, heyyyy, pleaseee. */
export const isChatWord = (word: string): boolean =>
  CHAT_WORDS.has(word) || CHAT_WORDS.has(word.replace(/(.)\1{2,}/gu, '$1'));

/** Abbreviations that end with a full stop. */
export const SHORTENED = 'approx|incl|inc|vs|etc|mr|mrs|ms|dr|st|no|nr|ca|bzgl|evtl|bzw|usw|max|min|tel|ref|fig|vol';

/** Beginnings of a clause before the question: a greeting, or a courtesy. */
export const GREETING =
  /^\P{L}*(?:hi+|hello+|hey+|ok|okay|so|well|just|please|dear|greetings|good (?:morning|afternoon|evening|day)|thanks|th[nx]+|tks|thank you|sorry|excuse me|hallo|guten|liebe[sr]?|sehr geehrte[sr]?|moin|servus|danke|entschuldigung|hola|buen[oa]s|estimad[oa]s?|gracias|bonjour|bonsoir|salut|merci|cher|chère|ciao|buongiorno|buonasera|salve|gentile|grazie|scusate|olá|oi|bom dia|boa (?:tarde|noite)|obrigad[oa]|goede\p{L}+|beste|dank|hoi|hej\p{L}*|dzień dobry|cześć|merhaba|здравствуйте|привет|добрый день|καλησπέρα|καλημέρα|γεια|السلام|مرحبا|你好|您好|xin chào|नमस्ते)(?!\p{L})/iu;
