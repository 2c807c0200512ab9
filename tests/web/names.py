"""Names as guests have them, for pages that must show every one of them."""

GIVEN = (
    *(
        "Alexandra",
        "Bartholomew",
        "Cassandra",
        "Dominique",
        "Elizabeth",
        "Frederike",
        "Geraldine",
        "Henrietta",
    ),
    *("Isabella", "Josephine", "Katharina", "Leopoldine", "Margarethe", "Nathaniel", "Ottoline", "Penelope"),
    *(
        "Quentin",
        "Rosalinde",
        "Sebastian",
        "Theodora",
        "Ursula",
        "Valentina",
        "Wilhelmina",
        "Xaver",
        "Yolanda",
    ),
)
FAMILY = (
    *("Hollingsworth", "Lindqvist", "Papadakis", "Wintersberger", "Montcastle", "O’Donaghan", "Kowalewska"),
    *("Featherstone", "Brandenburger", "Castellani", "van der Meulen", "Dell’Acqua", "Mühlenbeck"),
    *("Þorláksdóttir", "Szymborek", "Ravensdale"),
)
WORLD = (
    "Trần Thị Bích Ngọc",
    "Nguyễn Hoàng Lan Anh",
    "Ayaka Minamikawa",
    "伊藤 さくら",
    "王小明",
    "김서연",
    "Suryaningrumwati",
    "Thiruvengadanathan",
    "Meenakshi Raghunathan",
    "Abdulrahman Al-Masri",
    "ليلى عبد الرحمن",
    "محمد بن عبد الله الحسيني",
    "אִמְרֵי כֹּהֵן",
    "Oluwaseun Adebanjoko",
    "Jean-Baptiste Delorme",
    "Marie-Louise d’Arvieux-Montgolfier",
    "José Luis Peñarrubia y Mendoza",
    "Björn-Erik Åkerlundh",
    "Łucja Wiśniewiczka",
    "Mihrimah Karadenizli",
    "Mo",
    "Bartholomäusmeier",
    "Wolfeschlegelsteinhausen",
    "Анастасия Преображенская",
    "Θεοδώρα Παπαδοπούλου",
)


def guests(count: int) -> list[str]:
    """Full names of `count` guests, each once: every third from elsewhere, as long as there are some."""
    found: dict[str, None] = {}
    place = 0
    while len(found) < count:
        if place % 3 == 1 and place // 3 < len(WORLD):
            found[WORLD[place // 3]] = None
        else:
            middle = f" {'ABCDEFGH'[place // 400]}." if place >= 400 else ""
            family = FAMILY[(place * 3 + place // 25) % len(FAMILY)]
            found[f"{GIVEN[place * 7 % len(GIVEN)]}{middle} {family}"] = None
        place += 1
    return list(found)
