"""Units of measurement: every spelling is mapped to a dimension and a factor, so that 1 km equals 1000 metres."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CURRENCY_SIGNS", "UNITS", "Unit", "unit_of"]

CURRENCY_SIGNS = frozenset("$€£¥")


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as `base = value * factor + offset`, in the base unit of its `dimension`."""

    dimension: str
    factor: float = 1.0
    offset: float = 0.0

    def per(self, other: Unit) -> Unit:
        return Unit(f"{self.dimension}/{other.dimension}", self.factor / other.factor)

    def power(self, exponent: int) -> Unit:
        return Unit(f"{self.dimension}{exponent}", self.factor**exponent)


_DAY = 86_400.0
_YEAR = 365.2425 * _DAY  # the mean Gregorian year

_TABLE: tuple[tuple[Unit, str], ...] = (
    (Unit("length"), "m metre metres meter meters metern metros metro 米 公尺 メートル"),
    (
        Unit("length", 1e3),
        "km kms kilometre kilometres kilometer kilometers kilometern kilometro kilometros 公里 千米",
    ),
    (
        Unit("length", 1e-2),
        "cm centimetre centimetres centimeter centimeters zentimeter centimetro centimetros 厘米",
    ),
    (Unit("length", 1e-3), "mm millimetre millimetres millimeter millimeters milimetros 毫米"),
    (Unit("length", 1e-9), "nm nanometre nanometres nanometer nanometers 纳米"),
    (Unit("length", 1609.344), "mi mile miles meile meilen milla millas 英里"),
    (Unit("length", 0.3048), "ft foot feet fuss pies 英尺"),
    (Unit("length", 0.0254), "inch inches zoll pulgadas 英寸"),
    (Unit("length", 0.9144), "yd yard yards"),
    (Unit("length", 9.4607304725808e15), "lightyear lightyears lichtjahre lichtjahren 光年"),
    (
        Unit("mass"),
        "kg kgs kilogram kilograms kilogramme kilogrammes kilo kilos kilogramm kilogramos 公斤 千克",
    ),
    (Unit("mass", 1e-3), "g gram grams gramme grammes gramm gramos 克"),
    (Unit("mass", 1e-6), "mg milligram milligrams milligramm miligramos 毫克"),
    (Unit("mass", 1e3), "tonne tonnes tonnen toneladas 吨"),
    (Unit("mass", 0.45359237), "lb lbs pound pounds libras 磅"),
    (Unit("mass", 0.028349523125), "oz ounce ounces"),
    (Unit("volume"), "l litre litres liter liters litro litros 升 公升"),
    (Unit("volume", 1e-3), "ml millilitre millilitres milliliter milliliters mililitros 毫升"),
    (Unit("volume", 3.785411784), "gallon gallons"),
    (Unit("area", 1e4), "ha hectare hectares hektar hectareas 公顷"),
    (Unit("area", 4046.8564224), "acre acres"),
    (Unit("time"), "s sec secs second seconds sekunde sekunden segundo segundos 秒"),
    (Unit("time", 1e-3), "ms millisecond milliseconds millisekunden milisegundos 毫秒"),
    (Unit("time", 60.0), "min mins minute minutes minuten minuto minutos 分钟"),
    (Unit("time", 3600.0), "h hr hrs hour hours stunde stunden heure heures hora horas 小时"),
    (Unit("time", _DAY), "day days tag tage tagen jour jours dia dias 天 日"),
    (Unit("time", 7 * _DAY), "week weeks woche wochen semaine semaines semana semanas 周 星期"),
    (Unit("time", _YEAR / 12), "month months monat monate monaten mois mes meses 个月"),
    (Unit("time", _YEAR), "year years yr yrs jahr jahre jahren ans annee annees ano anos 年"),
    (Unit("time", 10 * _YEAR), "decade decades"),
    (
        Unit("time", 100 * _YEAR),
        "century centuries jahrhundert jahrhunderte siecle siecles siglo siglos 世纪",
    ),
    (Unit("temperature", 1.0, 273.15), "°c celsius 摄氏度"),
    (Unit("temperature", 5 / 9, 459.67 * 5 / 9), "°f fahrenheit 华氏度"),
    (Unit("temperature"), "k kelvin kelvins 开尔文"),
    (Unit("angle"), "° deg degree degrees grad grados 度"),
    (Unit("ratio", 1e-2), "% percent percentage pct prozent pourcent"),
    (Unit("ratio", 1e-3), "‰ permille promille"),
    (Unit("power"), "w watt watts"),
    (Unit("power", 1e3), "kw kilowatt kilowatts"),
    (Unit("power", 1e6), "mw megawatt megawatts"),
    (Unit("energy"), "j joule joules"),
    (Unit("energy", 1e3), "kj kilojoule kilojoules"),
    (Unit("frequency"), "hz hertz"),
    (Unit("frequency", 1e3), "khz kilohertz"),
    (Unit("frequency", 1e6), "mhz megahertz"),
    (Unit("frequency", 1e9), "ghz gigahertz"),
    (Unit("data", 1e6), "mb megabyte megabytes"),
    (Unit("data", 1e9), "gb gigabyte gigabytes"),
    (Unit("data", 1e12), "tb terabyte terabytes"),
    (Unit("voltage"), "volt volts"),
    (Unit("dollar"), "$ usd dollar dollars 美元"),
    (Unit("dollar", 1e-2), "cent cents"),
    (Unit("euro"), "€ eur euro euros 欧元"),
    (Unit("sterling"), "£ gbp sterling 英镑"),
    (Unit("yen"), "¥ jpy yen 日元 円"),
    (Unit("yuan"), "cny rmb yuan 元 人民币"),
)

UNITS: dict[str, Unit] = {name: unit for unit, names in _TABLE for name in names.split()}
UNITS |= {
    "km2": UNITS["km"].power(2), "m2": UNITS["m"].power(2), "m3": UNITS["m"].power(3), "cm3": UNITS["cm"].power(3),
    "kph": UNITS["km"].per(UNITS["h"]), "mph": UNITS["mi"].per(UNITS["h"]), "kmh": UNITS["km"].per(UNITS["h"]),
    "kwh": Unit("energy", 3.6e6), "平方公里": UNITS["km"].power(2), "平方米": UNITS["m"].power(2),
}  # fmt: skip

_POWERS = {"square": 2, "cubic": 3, "sq": 2, "cu": 3}
_PER = frozenset({"per", "pro", "par", "por", "/"})
_PHRASES: dict[tuple[str, ...], Unit] = {
    ("per", "cent"): UNITS["%"],
    ("por", "ciento"): UNITS["%"],
    ("degrees", "celsius"): UNITS["celsius"],
    ("degree", "celsius"): UNITS["celsius"],
    ("grad", "celsius"): UNITS["celsius"],
    ("grados", "celsius"): UNITS["celsius"],
    ("degrees", "centigrade"): UNITS["celsius"],
    ("degrees", "c"): UNITS["celsius"],
    ("degrees", "fahrenheit"): UNITS["fahrenheit"],
    ("degree", "fahrenheit"): UNITS["fahrenheit"],
    ("degrees", "f"): UNITS["fahrenheit"],
    ("light", "years"): UNITS["lightyear"],
    ("light", "year"): UNITS["lightyear"],
}


def unit_of(words: list[str]) -> tuple[Unit | None, int]:
    """Read the unit that `words` begin with: the unit, or None, and how many words it took.

    `["km", "/", "h"]` and `["square", "metres"]` are read as the compound that they are.
    """
    if phrase := _PHRASES.get(tuple(words[:2])):
        return phrase, 2
    if len(words) > 1 and words[0] in _POWERS and words[1] in UNITS:
        return UNITS[words[1]].power(_POWERS[words[0]]), 2
    unit = UNITS.get(words[0]) if words else None
    if unit and len(words) > 2 and words[1] in _PER and words[2] in UNITS:
        return unit.per(UNITS[words[2]]), 3
    return unit, int(unit is not None)
