"""One standing request to an agent, in each shipped language."""

from __future__ import annotations

STANDING = {
    "en": "from now on never reformat files that you did not change",
    "es": "a partir de ahora no borres nunca los comentarios de licencia",
    "fr": "désormais ne touche jamais au dossier legacy sans me demander",
    "de": "ab jetzt bitte nie wieder Umlaute in Dateinamen verwenden",
    "pt": "de agora em diante sempre escreva os testes antes da correção",
    "it": "d'ora in poi non usare mai print per il debug, usa il logger",
    "ru": "впредь никогда не меняй версии зависимостей без моего согласия",
    "pl": "od teraz zawsze pisz opisy commitów po polsku",
    "tr": "bundan sonra veritabanı şemasını bana sormadan asla değiştirme",
    "ar": "من الآن فصاعدا لا تحذف أي اختبار قبل أن تسألني",
    "hi": "आगे से कभी भी env फ़ाइल को commit मत करना",
    "vi": "từ giờ trở đi luôn chạy lint trước khi báo là xong",
    "sv": "hädanefter ska du alltid svara kort och utan rubriker",
    "zh": "以后提交信息一律用英文，不要用中文",
    "ja": "今後は設定ファイルを勝手に書き換えないでください",
    "ko": "앞으로는 빈 catch 블록을 절대 남기지 마세요",
}
