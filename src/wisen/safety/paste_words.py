"""Words with which people introduce, sign and label texts that are not theirs, in every shipped language.

Only frames are listed: who is speaking, what kind of text follows, what is to be done with it. No word is about what a
text asks for. Lists with commas contain phrases. What ends with `*` is the beginning of a word; in scripts without
spaces each may occur anywhere.
"""

from __future__ import annotations

TEXT_TASKS = """
translat*, summari*, paraphras*, rephras*, proofread*, proof-read*, reword*, tldr, tl;dr, transcribe*, reply to
respond to
answer this, answer the, draft a reply, write a reply, what does this mean, what does that mean, what does it mean
meaning of
explain this, explain the following, explain what this, grammar, spelling, spellcheck, spell check, make of this
think of this, this spam, rewrite this, rewrite the following, shorten this, simplify this
wrong with this sentence, see below
siehe unten, voir ci-dessous, ver abajo, ver abaixo, vedi sotto, se nedan, patrz niżej, см. ниже, смотри ниже
aşağıya bak
xem bên dưới, 以下を見て, 见下文, 아래 참고, انظر أدناه, नीचे देखो, is this true, is it true, thoughts on this
opinion on this, eval this
übersetz*, zusammenfass*, fass, fasse, paraphrasier*, umformulier*, korrekturles*, antworte auf, beantworte
was bedeutet, was heißt
tradui*, résum*, reformul*, répond*, que veut dire, ça veut dire, que signifie, qu'est-ce que ça signifie
traduc*, resume esto, resume este, resume esta, resume el, resume la, resumir, resuma, resumen, resumo, resúm*
parafras*, responde a, contesta a, contesta este, qué significa, que significa, qué quiere decir, traduz*
responda
tradu*, riassum*, riformul*, rispondi a, rispondi al, cosa significa, che significa, che vuol dire
översätt*, sammanfatta*, svara på, vad betyder, omformulera*
przetłumacz*, przełóż, streść, streszcz*, podsumuj*, odpowiedz na, co to znaczy, co oznacza, sparafrazuj*
переведи*, перевести, суммируй*, резюмируй*, перескажи*, перефразируй*, ответь на, что значит, что это значит
что означает
çevir*, özetle*, yanıtla*, cevapla*, ne demek, ne anlama
dịch, tóm tắt, trả lời, nghĩa là gì, diễn giải
翻訳, 訳して, 要約, 返信して, 返事を書いて, 言い換え, どういう意味, 意味を
翻译, 译成, 总结, 概括, 摘要, 回复一下, 回复这, 改写, 什么意思, 翻譯, 總結, 是什么意思
번역, 요약, 답장, 무슨 뜻, 바꿔 써
ترجم*, لخص*, لخّص*, رد على, أجب على, ما معنى, ماذا يعني
अनुवाद, सारांश, का जवाब, का उत्तर, क्या मतलब, मतलब क्या
"""
"""What is to be done with a text that comes after a colon."""

SAYING = """
said says say wrote writes written asked asks answered answers replied replies commented comments posted tells
mentioned prints printed complains wants demands insists suggests suggested recommends recommended responded
reported reads stated states
sagte sagt schrieb schreibt geschrieben meinte meint fragte antwortete antwortet kommentierte gesagt steht
dit écrit disait demande répond répondu commenté indique
dijo dice escribió escribe respondió responde comentó pone preguntó
disse diz escreveu escreve respondeu responde comentou perguntou
scritto scrive rispose risposto risponde commentato detto chiede
sa säger skrev skriver svarade svarar kommenterade står
powiedział powiedziała mówi napisał napisała pisze odpisał odpisała odpowiedział odpowiedziała skomentował
сказал сказала говорит написал написала пишет ответил ответила отвечает прокомментировал спросил
dedi diyor yazdı yazmış söyledi cevapladı yorumladı sordu
nói viết bảo hỏi đáp
と言った と書いた が書いた と言っています と書いています からの返信 のコメント によると より
说 写道 说道 回复说 表示 问 說 寫道
말했다 썼다 라고 적었다 답했다 보냈다 말함
قال قالت كتب كتبت يقول تقول أجاب علق
कहा लिखा बोला पूछा लिखते कहते
"""
"""Verbs after which a colon introduces what somebody else said, unless the speaker is the user."""

FIRST_PERSON = """
i i've i'd i'm me we we've ich wir habe je j'ai nous yo nosotros eu nós io noi ho abbiamo jag vi ja я мы ben biz
tôi mình chúng
私 僕 俺 我 我们 我們 나 내가 제가 저 우리 أنا نحن قلت मैं मैंने हम हमने you du tu vous você
"""
"""The user or the person they talk to: what these said is not a third party's."""

POINTING = """
this these that below following copy attached here's here from got received pasted copied quoted see found
dies* das folgend* unten hier von vom bekommen erhalten angehängt* siehe
ce cet cette ces voici ci-dessous suivant* de du reçu joint
este esta esto estos siguiente* abajo aquí de del recib*
este esta isto seguinte* abaixo aqui de do da recebi
questo questa questi seguente* sotto ecco da dal ricevuto
detta denna det följande nedan här från fick
ten ta ten poniżej poniższ* oto od z dostałem następując*
это этот эта вот ниже следующ* от из получил
bu şu aşağıdaki işte gelen aldım
này đây sau dưới từ nhận
この これ 以下 次 下記 から 届いた
这 这个 这封 以下 下面 来自 收到 這 這封
이 이거 아래 다음 에서 받은
هذا هذه التالي التالية أدناه من وصلني
यह ये इस नीचे निम्न से मिला
"""

DOCUMENTS = """
mail e-mail email letter message issue ticket bug pr log logs output trace stacktrace traceback answer comment
comments review
feedback findings post thread article page website docs documentation readme changelog transcript chat slack diff
patch quote text
paste snippet error report commit stackoverflow overflow reddit forum twitter wiki wikipedia blog linkedin memo
linter chatgpt gemini gpt newsletter tweet gist release
nachricht brief fehlermeldung fehler ausgabe protokoll antwort kommentar beitrag artikel seite doku dokumentation
zitat bericht
courriel message lettre journal sortie erreur réponse commentaire article billet citation rapport texte fil
correo mensaje carta registro salida error respuesta comentario artículo página cita informe texto hilo
mensagem carta registro saída erro resposta comentário artigo página citação relatório texto
messaggio lettera errore risposta commento articolo pagina citazione rapporto testo segnalazione
meddelande brev logg fel svar kommentar artikel sida citat rapport text mejl ärende
wiadomość wiadomości list błąd odpowiedź komentarz artykuł strona cytat raport tekst zgłoszenie maila
письмо сообщение лог ошибка ответ комментарий статья страница цитата отчёт текст тикет почта письма
ileti mesaj mektup hata yanıt cevap yorum makale sayfa alıntı rapor metin günlük posta e-posta
thư tin nhắn lỗi bình luận bài trang trích báo cáo văn bản
メール メッセージ ログ エラー 回答 コメント 記事 ページ 引用 報告 文章 イシュー 出力
邮件 消息 日志 错误 回答 评论 文章 页面 引用 报告 文本 工单 郵件 訊息
메일 메시지 로그 오류 에러 댓글 기사 페이지 인용 보고 이슈 글
بريد رسالة الرسالة البريد سجل خطأ إجابة تعليق مقال صفحة اقتباس تقرير النص
मेल ईमेल संदेश लॉग त्रुटि टिप्पणी लेख पृष्ठ उद्धरण रिपोर्ट पाठ
"""

RULE_WORDS = """
when whenever if unless always never must wenn falls immer nie niemals muss quand si toujours jamais cuando si
siempre nunca
quando se sempre mai nunca när om alltid aldrig gdy jeśli zawsze nigdy когда если всегда никогда eğer her zaman
asla khi nếu luôn
いつも 必ず 決して とき 时 如果 总是 永远 每次 항상 절대 때 إذا دائما عندما जब अगर हमेशा कभी
"""
"""Words that make what precedes a colon a rule of the user's rather than an introduction."""

HEADERS = """
from to cc bcc subject date sent reply-to message-id author committer signed-off-by co-authored-by reviewed-by
title labels label assignee assignees reporter status priority severity milestone component components
environment version
when where organizer organiser attendees location invitees description summary url link source posted by opened by
von an betreff datum gesendet autor titel status priorität bearbeiter ort wann beschreibung teilnehmer organisator
de à objet envoyé auteur titre statut priorité lieu quand description
para asunto fecha enviado autor título estado prioridad lugar cuándo descripción
assunto data enviado prioridade responsável local quando descrição
da a oggetto inviato autore titolo stato priorità luogo descrizione
från till ämne skickat författare titel prioritet plats beskrivning
od do temat wysłano autor tytuł priorytet miejsce opis
от кому тема дата отправлено автор заголовок статус приоритет место описание исполнитель
kimden kime konu tarih gönderen yazar başlık durum öncelik yer açıklama
từ đến chủ đề ngày gửi tác giả tiêu đề trạng thái ưu tiên mô tả
差出人 宛先 件名 日付 日時 送信者 作成者 タイトル 状態 優先度 場所 説明
发件人 收件人 主题 日期 时间 作者 标题 状态 优先级 地点 描述 寄件者 收件者 主旨
보낸사람 보낸 받는사람 받는 제목 날짜 작성자 상태 우선순위 장소 설명
من إلى الموضوع التاريخ المرسل الكاتب العنوان الحالة الأولوية المكان الوصف
प्रेषक प्रति विषय दिनांक लेखक शीर्षक स्थिति प्राथमिकता स्थान विवरण
"""
"""Names of the header fields of a mail, ticket, commit or invitation. One alone decides nothing."""

GREETINGS = """
hi hello hey dear greetings morning afternoon hallo liebe lieber liebes sehr guten moin servus bonjour salut cher
chère chers hola
buenos buenas estimado estimada estimados querido olá oi caro cara prezado prezada bom boa ciao gentile salve
buongiorno hej kära bästa
cześć dzień drogi droga szanowni witam привет здравствуйте уважаемый уважаемая уважаемые добрый дорогой merhaba
selam sayın sevgili
chào kính xin お世話 こんにちは 拝啓 お疲れ 您好 你好 大家好 各位 尊敬的 親愛的 안녕하세요 안녕 مرحبا السلام
عزيزي عزيزتي السيد नमस्ते प्रिय आदरणीय
"""

SIGN_OFFS = """
regards best cheers sincerely thanks thx yours kind warm warmly respectfully br grüße gruß grüßen mfg lg vg
freundlichen cordialement
bien amicalement bises saludos atentamente cordialmente abrazos gracias atenciosamente abraços obrigado obrigada
cordiali distinti saluti
grazie hälsningar mvh vänliga hälsning tack pozdrawiam pozdrowienia serdecznie dzięki уважением наилучшими
спасибо saygılarımla sevgiler
teşekkürler iyi trân cảm よろしく 敬具 以上 祝好 此致 敬上 谢谢 順頌 감사합니다 드림 올림 تحياتي مع شكرا सादर
धन्यवाद आपका आपकी भवदीय
"""

SPEAKERS = """
user human assistant system developer pm cto claude chatgpt gpt gemini codex copilot moderator reviewer maintainer boss
manager
customer
colleague coworker teammate cto ceo recruiter
benutzer nutzer mensch chef kollege kollegin utilisateur assistant collègue usuario usuária asistente
jefe utente assistente capo collega användare chefen użytkownik asystent szef пользователь ассистент
система начальник коллега kullanıcı asistan patron người dùng trợ lý khách
ユーザー アシスタント システム 上司 部長 同僚 顧客 用户 助手 系统 老板 同事 客户 使用者 사용자 어시스턴트 시스템
팀장 고객 المستخدم المساعد النظام المدير العميل
उपयोगकर्ता सहायक सिस्टम मैनेजर ग्राहक
"""
"""Roles in a conversation: before a colon they say who speaks."""

GIVEN_NAMES = """
aaron abby abdul abigail ada adam adrian agnieszka ahmad ahmed ahmet aiko aisha akira alan albert aleksandr
aleksei alessandra
alessandro alex alexander alexandra alexei ali alice alicia alina alison amanda amara amelia amin amir amit amy
ana anaïs anders
andre andrea andreas andrei andrew andrzej andy angela anil anita anja anjali ann anna anne annie ansel anthony
anton antonio anya
ari arjun arne arthur arun asha ashley astrid axel ayşe barbara bart beata beatriz ben benjamin bernd beth bianca
bill björn bob boris
brandon brenda brian bruno camila camille carla carlos carmen carol caroline cathy cecilia chad charles charlie
charlotte chen chiara
chloe chris christian christina christine chuck cindy claire clara claudia cleo colin connor craig cristina
cynthia dagmar daisuke
dan dana daniel daniela danny dario dave david davide deborah deepak denis dennis derek diana diego dieter dinesh
dirk dmitri dmitry
dominik don donna dora doris dorothy doug dylan ed eddie eduardo edward elena eli elias elif elisa elizabeth ella
ellen elsa emeka
emil emilia emily emma emre eric erica erik erika ernesto esra esther ethan eva eve evelyn fabian fatima fatma
federica felipe felix
fernanda fernando filip fiona florian francesca francesco francisco frank franz fred frida fumiko gabriel
gabriela gareth gary george
gerd gianni gina giorgio giovanni giulia giuseppe glenn grace greg greta grzegorz guillaume gustav hanako hank
hanna hannah hans
haruki harry hassan heidi heike helen helena helga henrik henry hiro hiroshi holger hugo hui huong hussein ian
ibrahim igor ilse ines
inga ingrid irene  isaac isabel isabella ivan ivana jack jacob jakob jakub james  jane janet jason javier jay
jean jeff jennifer
jenny jens jeremy jerry jess jesse jessica jill jim  joan joanna joao joão joe joel johan johann johanna john
johnny jon jonas
jonathan jordan jorge jose josé josef joseph josh joshua juan juanita judith julia julian julie  jürgen justin
kai kaito karen
karin karl karolina kasia kate katherine kathy katja katrin kavita kayla keiko keith ken kenji kevin khaled kim
klaus klara krzysztof
kumar kyle lara larry lars laura lauren layla lea leah leila lena leo leon leonardo leticia  liam lina linda ling
lisa liz logan
lorenzo louis louise luca lucas lucia lucy luis luisa luiza lukas luke magda  malik manuel marc marcel marcin
marco marcos marek
margaret maria mariam mariana marie marina mario marion mark marko markus marta martha martin martina mary masha
mateo mateusz matt
matteo matthew matthias  maya megan mehmet mei mel melanie melissa mia michael michaela michał michel michelle
miguel mika mike
mikhail milan  ming minh mira miriam mohamed mohammed mohamad molly mona monica monika morgan mustafa nadia nancy
naomi natalia
natalie natasha nathan neha neil nguyen nia nick nicola nicolas nicole niels nikhil nikolai nils nina noah noor
nora nuno olaf oleg
olga oliver olivia omar oscar oskar otto pablo pamela paola paolo pascal patricia patrick paul paula paulo pavel
pawel paweł pedro
peter petra phil philip philipp pierre piotr pooja priya qiang rachel rafael rahul raj rajesh ralf  ravi  rebecca
renate
renee ricardo richard rick rita rob robert roberto robin rohan roland roman ron rosa  ross roy ruben ruth ryan
sabine sabrina sakura
sally salma sam samantha samir samuel sandra sandy sanjay santiago sara sarah sasha satoshi scott sean sebastian
selin serena serge
sergei sergey sergio sevda shan shane shannon sharon shreya silke silvia simon simone sofia sofie sonia sophia
sophie stacy stan stefan
stefanie stefano stella stephan stephanie stephen steve steven stuart sue sunil sunita susan susanne sven
svetlana sylvia taka takashi
tamara tanja tanya tariq taro tatiana ted teresa terry theo theresa thiago thomas thuy tim timo tina tobias todd
tom tomas tomasz tomek
tommy toni tony tracy trang travis tuan tyler udo ulf ulla umar ursula uwe valentina valeria vanessa vera
veronica victor victoria
vijay vikram viktor vincent vladimir volker wang walter wei wendy werner  william wolfgang xavier xiao yan yang
yara yasmin  ying
yuki yuko yulia yuri yusuf yves yvonne zack zainab zara zeynep zhang zhou zoe zoltan
анна алексей александр андрей антон борис виктор вера владимир галина дарья дмитрий евгений екатерина елена иван
игорь ирина кирилл
ксения максим мария михаил наталья никита николай олег ольга павел роман светлана сергей татьяна юлия юрий
田中 佐藤 鈴木 高橋 山田 伊藤 渡辺 中村 小林 加藤 太郎 花子 健太 さくら 小明 小李 小王 小张 老王 老李 李雷 王伟
张伟 李娜 王芳 小美 志明
민수 지은 철수 영희 지훈 서연 민준 하은 김대리 박과장 أحمد محمد علي فاطمة خالد سارة يوسف مريم عمر ليلى राहुल
प्रिया अमित अनिल सुनीता नेहा रवि मोहन
"""
"""Given names that are common in the languages above; they count only before a colon at the start of a line."""

WITHIN = """
in for on with during at about regarding re concerning per under inside bei für im auf mit während zu zum dans
pour sur avec en para
con sobre em no na nos nas com per nel nella con su för med på om w dla na przy o в для на при о с için
hakkında trong cho với về
في على بشأن لـ に では について 在 关于 對於 에서 에 대해 में के लिए
"""
"""Words with which a clause says where something applies: "in this file:" introduces no text."""

MINE = """
my mein meine meinem meiner mon ma mes mi mis meu minha mio mia min mitt mina mój moja moje мой моя моё мое benim
私の 僕の 我的 내 제
"""

LONE_HEADS = """
output stdout stderr console terminal quote email e-mail mail transcript excerpt snippet explain shorten rephrase
paste
ausgabe zitat auszug sortie citation extrait salida cita extracto saída citação uscita citazione utdrag citat
wyjście
cytat вывод цитата çıktı alıntı trích 出力 引用 抜粋 输出 摘录 출력 인용 اقتباس उद्धरण
"""
"""Words that introduce a text if nothing else precedes the colon."""

ACCORDING = """
according to, laut, gemäß, selon, d'après, según, segundo o, segundo a, de acordo com, secondo il, secondo la
enligt
według, согласно, theo tài liệu, によると, 根据文档, 에 따르면, حسب, وفقا ل
"""
