"""Words that the reference matcher knows, as data: English first, with German, French, Spanish, Chinese and more.

Every word is folded as `judgekit.core.lexical.reading` folds it: lower case, no accents. A word that means
different things in two of the languages (`once`, `die`, `sin`) is left out rather than guessed.
"""

from __future__ import annotations

__all__ = [
    "ALTERNATIVES",
    "APPROXIMATORS",
    "BREAKERS",
    "CARDINALS",
    "CJK_ALTERNATIVES",
    "CJK_DENIALS",
    "CJK_NO",
    "CJK_NOT_DENIALS",
    "CJK_YES",
    "CONJUNCTIONS",
    "DOUBTS",
    "ERAS",
    "FUNCTION_WORDS",
    "MONEY_SCALES",
    "MONTHS",
    "NAME_TITLES",
    "NEGATIONS",
    "NEGATION_PHRASES",
    "NOT_NEGATIONS",
    "NO_WORDS",
    "OPEN_QUESTIONS",
    "ORDINALS",
    "PERSON_QUESTIONS",
    "ROMAN",
    "SCALES",
    "YES_WORDS",
    "ZERO_WORDS",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _numbered(text: str, start: int = 0, step: int = 1) -> dict[str, int]:
    return {word: start + step * i for i, word in enumerate(text.split())}


FUNCTION_WORDS = _words(
    # English
    "a an the of in on at to for by with from and or as into onto is are was were be been being am it its it's"
    " this that these those there he she they his her their him them which who whom whose what when where how"
    " do does did has have had will would can could i you we my your our so also called known"
    # German
    " der die das den dem des ein eine einen einem einer und ist sind wurde vom von zum zur bei mit aus auf fur im"
    # French
    " le la les l un une du de d et est sont au aux dans par pour sur il elle ce"
    # Spanish
    " el los las una y es son en por para con al del lo se su fue"
)
"""Carry no fact of their own: an answer may have them or not."""

NEGATIONS = _words(
    "not no never cannot neither nor without isnt arent wasnt werent doesnt didnt dont cant wont"
    " unlike incorrect incorrectly false wrong wrongly untrue mistakenly"
    " nicht kein keine keinen keiner keines keinem nie niemals nein"
    " pas jamais aucun aucune nunca jamas ningun ninguna tampoco"
    " не нет никогда ни"
)
"""Turn a statement round. Contractions in `n't` count too."""

NOT_NEGATIONS = frozenset(
    tuple(phrase.split())
    for phrase in (
        "not only", "not just", "not merely", "not until", "not to mention", "no doubt", "no wonder", "no less",
        "no other than", "none other than", "no sooner", "not surprisingly", "no later than", "without doubt",
        "without a doubt", "without question", "nicht nur", "pas seulement", "no solo", "не только",
    )
)  # fmt: skip
"""Phrases that hold a negation and assert all the same."""

NEGATION_PHRASES = frozenset(
    tuple(phrase.split()) for phrase in ("rather than", "instead of", "as opposed", "plutot que")
)
"""Pairs of words that rule out what follows them."""

DOUBTS = _words("sure certain clear know known unsure")
"""After a negation: the answer doubts, which is not to deny."""

BREAKERS = _words(
    "but however although though while whereas instead rather because sondern aber mais sino pero но а"
)
"""Words at which the reach of a negation ends, as it does at punctuation."""

CONJUNCTIONS = _words("and und et y e и plus")
"""Between the things that a reference asks for together."""

ALTERNATIVES = _words("or oder ou или")
"""Between two candidates: the answer has not made up its mind."""

APPROXIMATORS = _words(
    "about approximately around roughly nearly almost over under circa ca c some estimated approx average total"
    " least most up more less than year since etwa rund ungefahr environ presque unos unas aproximadamente casi около примерно 约 大约 近 超过"
)
"""May stand beside a number without changing which number it is."""

YES_WORDS = _words(
    "yes yeah yep true correct correctly indeed right affirmative ja oui si vrai verdadero да верно"
)
NO_WORDS = _words("no nope false incorrect untrue negative nein falsch non faux falso нет неверно")

ZERO_WORDS = _words(
    "no none zero nobody nothing never nil kein keine keinen null aucun aucune ninguno ninguna нет"
)

CJK_ALTERNATIVES = ("或", "还是", "または")
CJK_YES = ("是的", "是", "对", "对的", "正确", "有", "可以", "会", "能", "はい", "네", "예")
CJK_NO = ("不是", "不", "否", "没有", "不会", "不能", "不可以", "不对", "错误", "いいえ", "아니요", "아니오")
CJK_DENIALS = ("不", "没", "非", "未", "否认", "無", "无", "ない", "ません", "아니", "않")
CJK_NOT_DENIALS = (
    "不仅", "不但", "不只", "不过", "不久", "不断", "不少", "不错", "不同", "不丹", "不列颠", "不锈", "不论", "不管",
    "不得不", "无疑", "無疑", "无论", "非洲", "非常", "未来", "除非", "是否", "莫非", "南非", "北非", "东非", "西非",
)  # fmt: skip
"""Words that hold a character of denial and deny nothing; they are struck out first."""

OPEN_QUESTIONS = _words(
    "what who whom whose which when where why how wer wen wie wo wann qui quand quien cual"
)
"""Begin a question that yes or no does not answer."""

PERSON_QUESTIONS = _words(
    "who whom whose who's author inventor actor actress composer wer wen wem qui quien quienes кто chi quem"
)

NAME_TITLES = _words(
    "mr mrs ms dr sir dame lord lady king queen prince princess president general captain professor prof saint st"
    " pope emperor empress senator judge jr sr ii iii herr frau don dona monsieur madame"
)
"""May precede a family name without naming somebody else."""

ROMAN = {
    word: str(n) for word, n in _numbered("ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi", 2).items()
    if len(word) > 1
}  # fmt: skip
"""A single letter is more often a letter than a numeral."""

CARDINALS = _numbered(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen"
) | _numbered("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10)

ORDINALS = _numbered(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth"
    " fifteenth sixteenth seventeenth eighteenth nineteenth",
    1,
) | _numbered("twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth", 20, 10)

SCALES: dict[str, int] = {
    "hundred": 100,
    "hundredth": 100,
    "dozen": 12,
    **dict.fromkeys(("thousand", "thousands", "thousandth", "tausend", "mil", "mille", "тысяч", "тысячи"), 10**3),
    **dict.fromkeys(
        ("million", "millions", "millionth", "mio", "mln", "mn", "millionen", "millon", "millones", "миллион",
         "миллионов", "миллиона"),
        10**6,
    ),
    **dict.fromkeys(
        ("billion", "billions", "bn", "mrd", "milliarde", "milliarden", "milliard", "milliards", "миллиард",
         "миллиардов", "миллиарда"),
        10**9,
    ),
    **dict.fromkeys(("trillion", "trillions", "tn", "billionen", "billones"), 10**12),
}  # fmt: skip
"""`billion` is read in the short scale (10**9); the German and Spanish plurals are not English words."""

MONEY_SCALES = {"k": 10**3, "m": 10**6, "b": 10**9}
"""After an amount of money only: elsewhere `m` is a metre and `k` a kelvin."""

MONTHS: dict[str, int] = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar janner janvier enero января январь",
            "february feb februar fevrier febrero февраля февраль",
            "march mar marz maerz mars marzo марта март",
            "april apr avril abril апреля апрель",
            "may mai mayo мая маи",
            "june jun juni juin junio июня июнь",
            "july jul juli juillet julio июля июль",
            "august aug aout agosto августа август",
            "september sep sept septembre septiembre setiembre сентября сентябрь",
            "october oct oktober okt octobre octubre октября октябрь",
            "november nov novembre noviembre ноября ноябрь",
            "december dec dezember dez decembre diciembre декабря декабрь",
        ),
        1,
    )
    for name in names.split()
}
"""Cyrillic names are written without the marks that folding removes."""

ERAS = {"bc": -1, "bce": -1, "ad": 1, "ce": 1}
