"""Messages that permit an agent to do something, in each shipped language: never a lesson."""

from __future__ import annotations

PERMISSIONS = {
    "en": ("yes, push it to main", "go ahead and merge it", "you can skip the hooks", "sure, delete the branch"),
    "de": ("ja, mach nur", "du kannst ruhig pushen", "ja, push es auf main", "klar, lösch den Branch", "von mir aus"),
    "fr": (
        "vas-y, tu peux pousser",
        "oui, pousse sur main",
        "tu peux ignorer les hooks",
        "d'accord, supprime la branche",
    ),
    "es": (
        "sí, adelante, súbelo a main",
        "puedes saltarte los hooks",
        "dale, borra la rama",
        "no hace falta que preguntes",
    ),
    "pt": ("sim, pode subir para a main", "pode apagar o branch", "manda ver", "tá bom, faz o merge"),
    "it": ("sì, fai pure", "puoi pushare su main", "va bene, cancella il branch", "puoi saltare gli hook"),
    "ru": ("да, пушь в main", "можешь пушить", "ладно, удаляй ветку", "можно пропустить хуки"),
    "pl": ("tak, możesz wrzucić na main", "śmiało, pushuj", "jasne, usuń gałąź", "możesz pominąć hooki"),
    "tr": ("evet, main'e pushlayabilirsin", "tamam, dalı sil", "hookları atlayabilirsin", "devam et"),
    "ar": ("نعم، يمكنك الدفع الآن", "تفضل ادفع إلى main", "طيب، احذف الفرع", "لا داعي للسؤال"),
    "hi": ("हाँ, push कर दो", "तुम push कर सकते हो", "ठीक है, branch हटा दो", "haan, push kar do"),
    "vi": ("ừ, cứ push đi", "bạn có thể push lên main", "được rồi, xóa nhánh đi", "cứ bỏ qua hook"),
    "sv": ("ja, kör på", "du kan pusha till main", "visst, radera grenen", "du får hoppa över hookarna"),
    "zh": ("可以推送", "好的，推送吧", "你可以跳过钩子", "行，把分支删掉"),
    "ja": ("はい、プッシュしていいよ", "進めてください", "フックは飛ばしてもいいです", "うん、ブランチを削除して"),
    "ko": ("네, 푸시해도 돼요", "진행해 주세요", "훅은 건너뛰어도 돼", "그래, 브랜치 삭제해"),
}
CORRECTIONS = {
    "en": ("the labels go on the side", "yes, but the crates belong on the left"),
    "de": ("ja, aber die Kisten gehören nach links", "die Etiketten kommen auf die Seite"),
    "fr": ("ça marche pas avec les caisses humides", "les étiquettes vont sur le côté"),
    "es": ("las etiquetas van en el lado", "sí, pero las cajas van a la izquierda"),
    "pt": ("as etiquetas ficam do lado", "sim, mas as caixas ficam à esquerda"),
    "it": ("le etichette vanno sul lato", "sì, ma le casse vanno a sinistra"),
    "ru": ("этикетки клеят сбоку", "да, но ящики стоят слева"),
    "pl": ("etykiety są z boku", "tak, ale skrzynki stoją po lewej"),
    "tr": ("etiketler yan tarafta olmalı", "evet ama kasalar solda durmalı"),
    "ar": ("الملصقات على الجانب", "نعم، لكن الصناديق على اليسار"),
    "hi": ("लेबल किनारे पर लगते हैं", "हाँ, लेकिन डिब्बे बाईं ओर रहते हैं"),
    "vi": ("nhãn dán ở bên cạnh", "ừ, nhưng thùng nằm bên trái"),
    "sv": ("etiketterna sitter på sidan", "ja, men lådorna står till vänster"),
    "zh": ("标签贴在侧面", "好的，但是箱子在左边"),
    "ja": ("ラベルは横に貼るものです", "はい、でも箱は左です"),
    "ko": ("라벨은 옆면에 붙여야 한다", "네, 하지만 상자는 왼쪽이에요"),
}
"""What tells how it should be, some of it after a yes: to be pointed at."""
