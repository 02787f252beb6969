"""Units of measure: what they measure and how much, so that "2 ml" and "2 litres" differ and 1,000 m are 1 km."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of ``dimension``: ``factor`` base units. ``variant`` parts what cannot be converted (currencies, scales)."""

    dimension: str
    factor: Fraction = Fraction(1)
    variant: str = ""
    minor: bool = False
    """A hundredth that names no currency of its own, as the cent."""

    def agrees(self, other: "Unit") -> bool:
        """Whether both measure the same thing; a missing variant fits any."""
        same = not self.variant or not other.variant or self.variant == other.variant
        return self.dimension == other.dimension and same


_TABLE = """
time      1/1000   ms msec millisecond milliseconds
time      1        s sec secs second seconds
time      60       min mins minute minutes
time      3600     h hr hrs hour hours
time      86400    day days
time      604800   week weeks
time      1209600  fortnight fortnights
months    1        month months
months    12       year years yr yrs
months    120      decade decades
length    1/1000   mm millimetre millimetres millimeter millimeters
length    1/100    cm centimetre centimetres centimeter centimeters
length    1        m metre metres meter meters
length    1000     km kilometre kilometres kilometer kilometers
length    1609344/1000  mile miles
length    3048/10000    foot feet ft
length    254/10000     inch inches
length    9144/10000    yard yards
mass      1/1000   mg milligram milligrams
mass      1        g gram grams
mass      1000     kg kilo kilos kilogram kilograms
mass      1000000  tonne tonnes
volume    1/1000   ml millilitre millilitres milliliter milliliters
volume    1        l litre litres liter liters
power     1        W watt watts
power     1000     kW kilowatt kilowatts
power     1000000  MW megawatt megawatts
data      1        byte bytes
data      1000     KB kB kilobyte kilobytes
data      1000000  MB megabyte megabytes
data      1000000000     GB gigabyte gigabytes
data      1000000000000  TB terabyte terabytes
power     746      hp horsepower
energy    1        Wh
energy    1000     kWh
energy    1000000  MWh
pressure  1        Pa
pressure  100      hPa millibar millibars
pressure  1000     kPa
pressure  100000   bar bars
pressure  689476/100  psi
current   1        A amp amps ampere amperes
voltage   1        V volt volts
voltage   1000     kV
frequency 1        Hz hertz
frequency 1000     kHz kilohertz
frequency 1000000  MHz megahertz
frequency 1000000000     GHz gigahertz
area      10000    ha hectare hectares
area      40468564224/10000000  acre acres
speed     5/18     km/h kmh kph
speed     1        m/s
speed     44704/100000  mph
percent   1        % ％ percent percentage
"""

UNITS: dict[str, Unit] = {
    name: Unit(dimension, Fraction(factor))
    for dimension, factor, *names in (line.split() for line in _TABLE.strip().splitlines())
    for name in names
}
for _power, _word, _dimension in ((2, "square", "area"), (3, "cubic", "volume")):
    # a cubic metre is 1,000 litres, which is what volumes are counted in
    _scale = 1000 if _dimension == "volume" else 1
    UNITS |= {
        f"{_word} {name}": Unit(_dimension, unit.factor**_power * _scale)
        for name, unit in UNITS.items()
        if unit.dimension == "length"
    }
UNITS |= {"per cent": UNITS["percent"]}
UNITS |= {name: Unit("temperature") for name in ("degree", "degrees")}
UNITS |= {name: Unit("temperature", variant="C") for name in ("°c", "° c", "degree celsius", "degrees celsius")}
UNITS |= {name: Unit("temperature", variant="F") for name in ("°f", "° f", "degree fahrenheit", "degrees fahrenheit")}
UNITS |= {name: Unit("money", Fraction(1, 100), minor=True) for name in ("cent", "cents", "pence")}

CURRENCIES: dict[str, Unit] = {sign: Unit("money", variant=sign) for sign in "€$£¥₹"}
"""By sign, before or after the number."""

UNITS |= CURRENCIES
for _sign, _names in (
    ("€", "euro euros eur"),
    ("$", "dollar dollars usd"),
    ("£", "gbp sterling"),
    ("¥", "yen jpy"),
    ("₹", "rupee rupees inr"),
):
    UNITS |= dict.fromkeys(_names.split(), CURRENCIES[_sign])
