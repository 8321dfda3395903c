/** Stop words by language. */
export const STOP_WORDS = {
  en: `a about again all also am an and any anybody anyone anything are aren as at be because been being both but by can
  cannot could couldn d did didn do does doesn doing don done each either else etc ever for from get gets getting give
  gives got had hadn has hasn have haven having he her hers herself hey hello hi him himself his how however i if in
  into is isn it its itself just kindly know let like ll m many may me might mine more most much must mustn my myself not of on or other
  our ours ourselves out per please quite re regard regards s same shall shan she should shouldn so some somebody
  someone something such t tell than thank thanks that the their theirs them themselves then there these they thing
  things this those though to too under up upon us use used using ve very via want was wasn we were weren what whatever
  when whenever where wherever whether which whichever who whoever whom whose why will with within won would wouldn yes
  yet you your yours yourself yourselves`,
  de: `aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da damit dann das dass dein dem
    den denn der deren des dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer
    eines er es etwas euch euer für gegen gibt hab habe haben hat hatte hatten hier ich ihm ihn ihnen ihr ihre ihrem ihren
    ihrer im in ins ist ja jede jedem jeden jeder jedes kann kannst können könnte man mehr mein meine mich mir mit muss
    müssen nach nicht noch nur ob oder ohne sehr sein seine seinem seinen seiner seit sich sie sind so soll sollen über um
    und uns unser unsere unter vom von vor wann war waren warum was weil welche welchem welchen welcher welches wem wen wenn
    wer werden wie wieso wieviel wieviele viel viele wir wird wo wofür woher wohin womit worden wurde wurden zu zum zur
    zwischen bitte`,
  es: `a al algo algún alguna ante antes aquel aquella así aun aunque cada como cómo con cuál cuáles cual cuando cuándo
    cuánto cuánta cuántos cuántas de del desde donde dónde durante e el él ella ellas ellos en entre era eran es esa ese eso
    esta está están estas este esto estos fue fueron ha había han hasta hay la las le les lo los más me mi mientras muy no
    nos o otra otro para pero por porque pues puede pueden puedo que qué quién quiénes se según ser si sí sido sin sobre son
    su sus también tan tanto te tiene tienen tengo todo todos tras tu tus u un una unas uno unos y ya yo`,
  fr: `à afin ai au aucun aussi aux avec avez avoir avons c ce ceci cela ces cet cette ceux chez comme comment d dans de des
    donc dont du elle elles en encore est et été étaient était être eu eux fait il ils j je l la laquelle le lequel les leur
    leurs lors lui m ma mais me mes moi mon n ne nos notre nous on ont ou où par pas peut peux plus pour pourquoi puis qu
    quand que quel quelle quelles quels qui quoi s sa sans se selon ses si son sont sous sur ta te tes toi ton tous tout
    toute toutes très tu un une vos votre vous y combien`,
  it: `a ad agli ai al alla alle allo anche c che chi ci come con cosa cui d da dagli dai dal dalla dalle dallo degli dei del
    della delle dello di dopo dove dov e è ed era erano essere fra fu furono gli ha hanno ho i il in io l la le lei li lo loro
    lui ma mi mia mio ne negli nei nel nella nelle nello no noi non nostro o ogni per perché più poi può quale quali quando
    quanti quante quanto quel quella quelle quelli quello questa queste questi questo qui se sei si sia sono sta stata stato
    su sua sue sugli sui sul sulla sulle suo suoi tra tu tutti tutto un una uno vi voi`,
  pt: `a ao aos aquela aquele as até com como da das de dela dele delas deles depois do dos e é ela elas ele eles em entre era
    eram essa esse esta está estão este eu foi foram há isso isto já lhe lhes mais mas me mesmo meu minha muito na nas não
    nem no nos nós o onde os ou para pela pelas pelo pelos pode podem por porque porquê qual quais quando quanto quanta
    quantos quantas que quem se sem ser seu seus sua suas são só sobre também te tem têm tinha um uma uns você vocês à às`,
  nl: `aan al alle als ben bij dan dat de der deze die dit door dus een en er ge geen had hadden heb hebben heeft hem het hier
    hij hoe hoeveel hun ik in is ja je jij jullie kan kunnen maar me meer met mij mijn moet moeten na naar niet nog nu of om
    onder ons ook op over te tot u uit uw van veel voor waar waarom wanneer waren was wat we welk welke werd werden wie wij
    wordt worden zal ze zich zij zijn zo zou`,
  ro: `a acea aceasta această aceste acest acestea acestor acestui aceștia acești al ai ale am ar are as asta astfel au avea
    avut când când cand care cărei căror cărui ce cea cei cel cele celor către cât câte câți câtă cine cum cu da dacă dar de
    decât deci deși despre din dintre doar după e ea ei el ele era erau este eu fi fie fiind fost fără iar în încă îi îl își
    între într la le li lor lui mai mult mulți ne nici noi nostru nu o ori pe pentru pot poate prin sa sau său să se și si
    sub sunt sunteți te toate tot toți tu un una unde unei unele unii unor unui va vă voi vor cate cati într dintr
    printr l i mi ți s m v n c d`,
  tr: `acaba ama ancak arasında artık aslında az bana bazı belki ben beni benim beri bile bir biraz birçok biri birkaç biz
    bize bu buna bunda bundan bunlar bunu bunun çok çünkü da daha dahi de defa değil diğer diye dolayı en gibi göre hangi
    hangisi hem henüz hep hepsi her hiç için ile ilgili ise işte kaç kaçıncı kadar karşı kendi kez ki kim kime kimdir kimin
    kimler mı mi mu mü mıdır midir mudur müdür mısınız misiniz nasıl nasıldır ne neden nedir neler nelerdir nerede neredeki
    nereden nereye niçin niye o olan olarak oldu olduğu olduğunu olması olmak olup olur on ona ondan onlar onu onun oysa öyle
    pek rağmen sadece sen siz sonra şey şu tarafından tüm üzere var vardır ve veya ya yani yer yok zaman nın
    nin nun nün ın in un ün yı yi yu yü ya ye na ne nı ni nu nü da ta te dan den tan ten nda nde ndan nden la le yla yle lı li lu lü`,
  vi: `ai anh bao bạn bằng bị bởi các cách cái cần chỉ cho chúng chưa có còn của cũng cùng dã dù đã đang đây để đến đi đó đâu
    đều được gì giữa hay hoặc hơn khi không khoảng là lại làm lên lúc mà mấy mình mỗi một nào nên nếu người như nhưng những
    nhiêu nơi này ông ở phải qua ra rằng rất sao sau sẽ sự tại tên theo thì thế tôi trên trong trước từ từng và vào vẫn về
    vì với vậy việc`,
  sv: `alla allt att av blev bli de dem den denna deras dess det detta dig din ditt du där efter ej eller en er ett från för ha
    hade han har henne hon honom hur här i icke inte jag kan kunde man med mellan men mig min mitt mot mycket ni nu när någon
    något några och om oss på samma sedan sig sin sitt ska skulle som så till under upp ut utan vad var varför vara varit
    vart vem vi vid vilka vilken vilket än är åt över många`,
  da: `af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din disse dit dog du efter eller en end
    er et for fordi fra før ham han hans har havde have hende her hos hun hvad hvem hver hvilken hvilke hvis hvor hvordan
    hvorfor hvornår i ikke ind jeg jer jo kan kunne man mange med meget men mig min mit mod ned noget nogle nu når og også om
    op os over på selv sig sin skal skulle som så til ud under var ved vi vil være været`,
  fi: `ei eikä en että hän he ja jo joka jos jotka joissa kanssa koska kuin kuka kuinka kun me mikä mitä mitkä millainen milloin
    minä missä mistä mihin miksi miten monta mutta myös ne niin nyt oli olivat olla on ovat se sen sekä siitä sinä sitä tai
    tämä te tuo vai voi vuonna ole olen`,
  hu: `a az egy és hogy nem is volt ez azt mint csak meg de van már még vagy ki mi mit mikor hol hány mennyi miért hogyan melyik
    milyen kell volna lehet el minden ha ezt aki ami amely akkor után által pedig itt ott én te ő mi ti ők lesz vannak`,
  ru: `а без более больше бы был была были было быть в вам вас ваш весь во вот все всех всего вы где да даже для до его ее её ей
    ему если есть еще ещё же за зачем и из или им их к как какая какие каким какими каких какого какое какой каком какую как
    когда кого кому которая которое которой которые который которых кто куда ли либо меня мне много может можно мой мы на над
    надо нам нас наш не него нее ней нет ни них но ну о об однако он она они оно от откуда по под почему при с сам свой свою
    себя сколько со так также такой там те тем то того тоже той только том тот ты у уже чего чей чем через что чтобы чья эта
    эти это этого этой этом этот эту я`,
  el: `ο η το οι τα του της των τον την τις τους στο στη στην στον στα στις στους ένα ένας μια μία και να θα δε δεν μη μην που
    πού πως πώς τι ποιο ποια ποιος ποιοι ποιες ποιον ποιους ποιαν πότε πόσο πόσα πόσοι πόσες πόση γιατί με σε από για κατά
    μετά προς παρά αντί χωρίς ως είναι ήταν είχε είχαν έχει έχουν αυτό αυτή αυτός αυτά αυτές αυτοί αλλά ή αν ότι όταν όπως
    όπου επίσης μεταξύ μου σου μας σας εγώ εσύ εμείς εσείς πιο πολύ κάθε τόσο όσο έτσι`,
  hi: `का की के को में से है हैं था थी थे ने पर और या यह ये वह वे एक इस उस इन उन इसके उसके इसकी उसकी इसे उसे कि जो जब तक तो भी ही हो
    होता होती होते हुआ हुई हुए कर करना करने किया करता करते करती गया गई गए लिए साथ बाद द्वारा किस किसने किसी किसके किसकी किसको कौन
    कौनसा कौनसी क्या कब कहाँ कहां क्यों कैसे कितना कितनी कितने नहीं अपने अपनी अपना वाले वाली वाला सकता सकते सकती रहा रही रहे जा जाता
    जाती जाते दिया था, मैं हम आप मेरा मेरी आपका`,
  cs: `a aby aj ale ani ano asi až bez být byl byla bylo byly by co či do dnes ho i jak jaká jaké jaký jako je jeho její
    jejich jen ještě jsem jsi jsme jsou jste k kam kde kdo kdy když která které který kteří ke kolik lze má mají mám máte
    mě mezi mi mít mně moc moje mohu můžu může můžete můj my na nad nám nás náš ne nebo nejsou není než nic o od on ona
    oni ono pak po pod podle pokud pro proč protože před při přes s se si své svůj ta tak také takže tam te tedy ten tento
    tato toto ti to toho tu tuto ty u už v vám vás váš vaše ve více však vy z za zda ze že prosím dobrý den`,
  nb: `alle at av ble bli blir da de dem den denne der dere deres det dette din du eller en enn er et etter for fordi fra
    før ha hadde han har hans hennes her hos hun hva hvem hver hvilke hvilken hvilket hvis hvor hvordan hvorfor i ikke inn
    jeg kan kunne man mange med meg mellom men mer mine min mitt må ned noe noen når og også om opp oss over på seg selv
    sin skal skulle slik som så til under ut var ved vi vil vår være vært vennligst`,
  pl: `a aby albo ale ani bez być był była było były bym chcę co czy czym dla do gdy gdzie go i ich ile im innych ja jak
    jaka jaki jakie jako je jego jej jest jestem jeszcze jeśli już kiedy kto która które którego której który którzy lub
    ma macie mają mam mi mnie może możecie można mogę mój moja moje my na nad nam nas nasz nie nich niż o od on ona one oni
    oraz po pod podczas poza proszę przed przez przy się są swój ta tak także tam te tego tej ten to tu tutaj tych tylko
    tym u w we więc wszystko wy z za ze że żeby`,
  uk: `а або але без би був була були було бути в вам вас ваш ваша ваше ваші ви від він вона вони воно все всі де для до
    є за зі з і із й його його її їх їй коли кого кому ким кілька котрий крім куди ли мене мені ми між мій моє моя можна
    може можу можете на над нам нас наш не нього неї ні ним них ну о об однак ось під після по при про раз сам свій себе
    скільки та так також такий там те ти тим того тож той тому тут у хто хіба це цей ця ці цього чи чий чому ще що щоб
    щодо як яка яке який які якщо я будь ласка`,
  bg: `а ако аз без бе беше би бил била били било бъде в вас ваш ваша ви във все всички вие да до дали е един една едно
    за защо защото и из или има имате им й как каква какво какви какъв като ки когато кога кого коя кое кой които която
    което колко към къде ли ме между ме ми мога може можете можем мой моя моята моите на над най наш не него нея ни ние
    но о от около още по под после преди през при с са само се си след сме съм сте със също та тази така там те тези ти
    тя то този това той тук у че ще я моля`,
  he: `אם את אתה אתם אתן אני אנחנו או אבל אותו אותה אותם אז אחר אחרי איזה איזו איך איפה אין אל אלה אלו על עם עד
    עוד בין בלי גם הוא היא הם הן היה היתה הייתה היו האם הזה הזאת זה זאת זו יש יכול יכולה אפשר ניתן כי כמה כמו כן כל כאשר
    כדי לא לו לה להם לי לך לנו לכם למה מה מי מתי מן מדוע עבור של שלי שלך שלו שלה שלנו שלכם שלהם שם תחת רק כבר בבקשה`,
  ar: `من في على إلى عن مع ما ماذا متى أين كيف لماذا كم هل هو هي هم هما هذا هذه ذلك تلك التي الذي الذين اللذان اللتان أن إن أو و ثم
    كان كانت كانوا يكون تكون قد لا لم لن ليس كل بعض أي أية بين بعد قبل عند عندما حيث كما لكن منذ حتى به بها له لها لهم فيه فيها
    منه منها عليه عليها إليه إليها عنه عنها أنه أنها التى الذى غير وقد وكان وكانت ومن وفي وهو وهي أيضا يتم تم خلال مثل لقد مما
    بماذا لمن فى الى او ان انه انها`,
} as const;
