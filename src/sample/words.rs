//! The words that texts, labels and names of the sample are made of. Lists only.

/// Languages in which fields, aspects and titles are written, English first.
pub const LANGUAGES: [&str; 8] = ["en", "de", "fr", "es", "ru", "el", "ja", "zh"];

/// The fields of research, in the order of [`LANGUAGES`].
pub const FIELDS: [[&str; 8]; 24] = [
    ["Biology", "Biologie", "Biologie", "Biología", "Биология", "Βιολογία", "生物学", "生物学"],
    ["Medicine", "Medizin", "Médecine", "Medicina", "Медицина", "Ιατρική", "医学", "医学"],
    ["Genetics", "Genetik", "Génétique", "Genética", "Генетика", "Γενετική", "遺伝学", "遗传学"],
    ["Computer science", "Informatik", "Informatique", "Informática", "Информатика", "Πληροφορική", "計算機科学", "计算机科学"],
    ["Physics", "Physik", "Physique", "Física", "Физика", "Φυσική", "物理学", "物理学"],
    ["Chemistry", "Chemie", "Chimie", "Química", "Химия", "Χημεία", "化学", "化学"],
    ["Ecology", "Ökologie", "Écologie", "Ecología", "Экология", "Οικολογία", "生態学", "生态学"],
    ["Mathematics", "Mathematik", "Mathématiques", "Matemáticas", "Математика", "Μαθηματικά", "数学", "数学"],
    ["Psychology", "Psychologie", "Psychologie", "Psicología", "Психология", "Ψυχολογία", "心理学", "心理学"],
    ["Economics", "Wirtschaft", "Économie", "Economía", "Экономика", "Οικονομικά", "経済学", "经济学"],
    ["Geology", "Geologie", "Géologie", "Geología", "Геология", "Γεωλογία", "地質学", "地质学"],
    ["Astronomy", "Astronomie", "Astronomie", "Astronomía", "Астрономия", "Αστρονομία", "天文学", "天文学"],
    ["History", "Geschichte", "Histoire", "Historia", "История", "Ιστορία", "歴史", "历史"],
    ["Linguistics", "Linguistik", "Linguistique", "Lingüística", "Лингвистика", "Γλωσσολογία", "言語学", "语言学"],
    ["Neuroscience", "Neurowissenschaft", "Neurosciences", "Neurociencia", "Нейронаука", "Νευροεπιστήμη", "神経科学", "神经科学"],
    ["Statistics", "Statistik", "Statistique", "Estadística", "Статистика", "Στατιστική", "統計学", "统计学"],
    ["Sociology", "Soziologie", "Sociologie", "Sociología", "Социология", "Κοινωνιολογία", "社会学", "社会学"],
    ["Philosophy", "Philosophie", "Philosophie", "Filosofía", "Философия", "Φιλοσοφία", "哲学", "哲学"],
    ["Law", "Recht", "Droit", "Derecho", "Право", "Δίκαιο", "法学", "法学"],
    ["Music", "Musik", "Musique", "Música", "Музыка", "Μουσική", "音楽", "音乐"],
    ["Archaeology", "Archäologie", "Archéologie", "Arqueología", "Археология", "Αρχαιολογία", "考古学", "考古学"],
    ["Engineering", "Technik", "Ingénierie", "Ingeniería", "Инженерия", "Μηχανική", "工学", "工程学"],
    ["Nutrition", "Ernährung", "Nutrition", "Nutrición", "Питание", "Διατροφή", "栄養学", "营养学"],
    ["Education", "Bildung", "Éducation", "Educación", "Образование", "Εκπαίδευση", "教育学", "教育学"],
];

/// What the fields have in common, in the order of [`LANGUAGES`].
pub const RESEARCH: [&str; 8] =
    ["Research", "Forschung", "Recherche", "Investigación", "Исследования", "Έρευνα", "研究", "科研"];

/// The aspects under which a field is studied, in the order of [`LANGUAGES`].
pub const ASPECTS: [[&str; 8]; 20] = [
    ["methods", "Methoden", "méthodes", "métodos", "методы", "μέθοδοι", "方法", "方法"],
    ["theory", "Theorie", "théorie", "teoría", "теория", "θεωρία", "理論", "理论"],
    ["models", "Modelle", "modèles", "modelos", "модели", "μοντέλα", "モデル", "模型"],
    ["ethics", "Ethik", "éthique", "ética", "этика", "ηθική", "倫理", "伦理"],
    ["data", "Daten", "données", "datos", "данные", "δεδομένα", "データ", "数据"],
    ["networks", "Netze", "réseaux", "redes", "сети", "δίκτυα", "ネットワーク", "网络"],
    ["imaging", "Bildgebung", "imagerie", "imágenes", "визуализация", "απεικόνιση", "画像", "成像"],
    ["evolution", "Evolution", "évolution", "evolución", "эволюция", "εξέλιξη", "進化", "进化"],
    ["water", "Wasser", "eau", "agua", "вода", "νερό", "水", "水"],
    ["energy", "Energie", "énergie", "energía", "энергия", "ενέργεια", "エネルギー", "能源"],
    ["children", "Kinder", "enfants", "niños", "дети", "παιδιά", "子ども", "儿童"],
    ["climate", "Klima", "climat", "clima", "климат", "κλίμα", "気候", "气候"],
    ["measurement", "Messung", "mesure", "medición", "измерение", "μέτρηση", "測定", "测量"],
    ["policy", "Politik", "politique", "política", "политика", "πολιτική", "政策", "政策"],
    ["language", "Sprache", "langue", "lengua", "язык", "γλώσσα", "言語", "语言"],
    ["memory", "Gedächtnis", "mémoire", "memoria", "память", "μνήμη", "記憶", "记忆"],
    ["risk", "Risiko", "risque", "riesgo", "риск", "κίνδυνος", "リスク", "风险"],
    ["materials", "Werkstoffe", "matériaux", "materiales", "материалы", "υλικά", "材料", "材料"],
    ["cities", "Städte", "villes", "ciudades", "города", "πόλεις", "都市", "城市"],
    ["software", "Software", "logiciels", "programas", "программы", "λογισμικό", "ソフトウェア", "软件"],
];

/// What a study does with its subject, first word of a title.
pub const STUDIES: [&str; 24] = [
    "A survey of", "Towards", "On the origin of", "Mapping", "Rethinking", "The role of", "Measuring", "Limits of",
    "Evidence for", "A new model of", "Patterns in", "Comparing", "Early signs of", "Notes on",
    "Large-scale analysis of", "The cost of", "Predicting", "A critique of", "Dynamics of", "Reproducing",
    "Automatic detection of", "What explains", "A catalogue of", "Long-term effects of",
];

/// Adjectives of titles and texts.
pub const ADJECTIVES: [&str; 48] = [
    "adaptive", "ancient", "arid", "bilateral", "bounded", "chronic", "coastal", "cognitive", "coherent", "complex",
    "cyclic", "deep", "dense", "distributed", "early", "elastic", "emergent", "endemic", "fractal", "global",
    "graph-based", "hidden", "hybrid", "infectious", "inverse", "late", "linear", "local", "marine", "maternal",
    "nested", "neural", "noisy", "nonlinear", "open", "polar", "quiet", "random", "rare", "regional", "rural",
    "seasonal", "sparse", "stable", "statistical", "stochastic", "thermal", "urban",
];

/// Nouns of titles and texts.
pub const NOUNS: [&str; 96] = [
    "memory", "cells", "growth", "proteins", "language", "networks", "rivers", "soil", "signals", "genes",
    "migration", "risk", "trust", "enzymes", "forests", "sleep", "storage", "markets", "vaccines", "galaxies",
    "bones", "children", "cities", "queries", "antibodies", "attention", "bacteria", "batteries", "bees",
    "behaviour", "biomass", "birds", "boundaries", "carbon", "catalysts", "citations", "clays", "climate",
    "clusters", "coral", "crystals", "diets", "disease", "drought", "emotions", "epidemics", "erosion", "families",
    "fish", "flows", "fungi", "glaciers", "grammar", "habitats", "hearing", "history", "hormones", "inflation",
    "insects", "isotopes", "knowledge", "lakes", "learning", "lenses", "marsupials", "membranes", "metals",
    "minerals", "models", "mutations", "nerves", "neurons", "ontologies", "parasites", "particles", "perception",
    "plants", "pollen", "polymers", "populations", "primates", "prosody", "receptors", "reefs", "ritual", "schools",
    "sediments", "stars", "stress", "teaching", "tides", "tissues", "tumours", "viruses", "wages", "waves",
];

/// Verbs of texts, in the form that follows a plural.
pub const VERBS: [&str; 40] = [
    "show", "suggest", "change", "reduce", "increase", "confirm", "contradict", "describe", "explain", "limit",
    "depend on", "correlate with", "differ from", "interact with", "converge to", "emerge from", "respond to",
    "adapt to", "compete with", "precede", "predict", "produce", "require", "resemble", "shape", "stabilize",
    "support", "transform", "vary with", "weaken", "amplify", "bind", "compress", "dominate", "encode", "follow",
    "govern", "inhibit", "mask", "reveal",
];

/// Small words between the others.
pub const CONNECTIVES: [&str; 32] = [
    "and", "in", "of", "the", "with", "for", "under", "between", "across", "during", "after", "before", "among",
    "within", "despite", "because of", "as well as", "rather than", "together with", "in contrast to", "over",
    "against", "beyond", "near", "without", "throughout", "alongside", "through", "towards", "from", "by", "on",
];

/// Beginnings, middles and ends of technical terms, which texts make up as they go.
pub const TERM_BEGINNINGS: [&str; 24] = [
    "neuro", "bio", "geo", "thermo", "photo", "cyto", "hydro", "micro", "nano", "poly", "para",
    "meta", "endo", "exo", "iso", "hetero", "macro", "chrono", "electro", "immuno", "litho",
    "morpho", "phyto", "socio",
];
/// See [`TERM_BEGINNINGS`].
pub const TERM_MIDDLES: [&str; 20] = [
    "gen", "graph", "lys", "morph", "phil", "phon", "plast", "rhythm", "scop", "spher", "stat",
    "synth", "tax", "therm", "top", "troph", "trop", "typ", "zym", "metr",
];
/// See [`TERM_BEGINNINGS`].
pub const TERM_ENDS: [&str; 12] = [
    "esis", "ic", "al", "ity", "ation", "ous", "ism", "ics", "y", "ia", "on", "ase",
];

/// Openings of comments.
pub const OPENINGS: [&str; 24] = [
    "I disagree:", "Great paper!", "Thanks for sharing.", "Could the authors explain why",
    "We could not reproduce this;", "Minor point:", "This contradicts earlier work, where",
    "As a reviewer I wondered whether", "+1", "Please see the supplement;", "Figure 2 is unreadable, but",
    "Nice data.", "Has anyone tried this when",
    "The \"control\" group is too small because",
    "To answer your question:", "Interesting, but", "The link is broken.", "Typo in the abstract;", "Same here:",
    "No.", "Our lab saw that", "What about", "Danke!", "Très intéressant :",
];

/// Given names.
pub const GIVEN_NAMES: [&str; 72] = [
    "Anna", "Mehmet", "Li", "Sofía", "Jürgen", "Aisha", "Ivan", "Chloé", "Kenji", "Maria", "Paul", "Zoë", "David",
    "Fatima", "Olga", "Noah", "Emma", "Björn", "Priya", "Ahmed", "Elena", "Hans", "Yuki", "Carlos", "Ingrid",
    "Tomasz", "Nguyễn", "Ada", "Kofi", "Siobhán", "Dmitri", "Grace", "Hiroshi", "Ines", "João", "Karin", "Lars",
    "Mei", "Nikos", "Oluwaseun", "Pedro", "Quentin", "Rosa", "Sanjay", "Tariq", "Ulla", "Viktor", "Wanjiru",
    "Ximena", "Yara", "Zanele", "Agnieszka", "Bogdan", "Catarina", "Dorothy", "Eun-ji", "Franz", "Giulia", "Halina",
    "Isaac", "Jana", "Khadija", "Leila", "Marek", "Nadia", "Oscar", "Petra", "Raúl", "Sven", "Thandiwe", "Umberto",
    "Zhenya",
];

/// Family names.
pub const FAMILY_NAMES: [&str; 88] = [
    "Smith", "Müller", "Wang", "García", "Kowalski", "O'Brien", "Tanaka", "Dubois", "Rossi", "Silva", "Nguyen",
    "Kumar", "Okafor", "Ivanova", "Jensen", "Papadopoulos", "Yılmaz", "Haddad", "Cohen", "Novák", "Berg", "Castro",
    "Dlamini", "Eriksson", "Fischer", "Gonzalez", "Hernández", "Ishikawa", "Jovanović", "Kim", "Larsen", "Mbeki",
    "Nakamura", "Ortiz", "Petrov", "Quinn", "Ramírez", "Sato", "Tremblay", "Ueda", "van der Berg", "Weber", "Xu",
    "Yamamoto", "Zhang", "Almeida", "Bianchi", "Chatterjee", "d'Angelo", "Eze", "Farouk", "Gupta", "Hoffmann",
    "Iyer", "Janssen", "Kaya", "Lindqvist", "Martínez", "Nikolaou", "Osei", "Park", "Rahman", "Schäfer", "Torres",
    "Ustinov", "Virtanen", "Wójcik", "Young", "Zimmermann", "Adeyemi", "Brown", "Choi", "de Souza", "Evans",
    "Ferrari", "Grøn", "Huang", "Ito", "Jones", "Khan", "Lee", "Moreau", "Nilsson", "Oliveira", "Popescu", "Ruiz",
    "Singh", "Taylor",
];

/// Cities: the name in English, the name at home with its language, the country code.
pub const CITIES: [(&str, &str, &str, &str); 32] = [
    ("Vienna", "Wien", "de", "AT"),
    ("Munich", "München", "de", "DE"),
    ("Boston", "Boston", "en", "US"),
    ("Beijing", "北京", "zh", "CN"),
    ("Paris", "Paris", "fr", "FR"),
    ("London", "London", "en", "GB"),
    ("Tokyo", "東京", "ja", "JP"),
    ("Athens", "Αθήνα", "el", "GR"),
    ("Moscow", "Москва", "ru", "RU"),
    ("Madrid", "Madrid", "es", "ES"),
    ("Cologne", "Köln", "de", "DE"),
    ("San Francisco", "San Francisco", "en", "US"),
    ("Shanghai", "上海", "zh", "CN"),
    ("Lyon", "Lyon", "fr", "FR"),
    ("Edinburgh", "Edinburgh", "en", "GB"),
    ("Kyoto", "京都", "ja", "JP"),
    ("Thessaloniki", "Θεσσαλονίκη", "el", "GR"),
    ("Novosibirsk", "Новосибирск", "ru", "RU"),
    ("Mexico City", "Ciudad de México", "es", "MX"),
    ("Bogotá", "Bogotá", "es", "CO"),
    ("Perth", "Perth", "en", "AU"),
    ("Nairobi", "Nairobi", "en", "KE"),
    ("Zurich", "Zürich", "de", "CH"),
    ("Geneva", "Genève", "fr", "CH"),
    ("Montreal", "Montréal", "fr", "CA"),
    ("Toronto", "Toronto", "en", "CA"),
    ("Buenos Aires", "Buenos Aires", "es", "AR"),
    ("Cape Town", "Cape Town", "en", "ZA"),
    ("Hamburg", "Hamburg", "de", "DE"),
    ("Dublin", "Dublin", "en", "IE"),
    ("Osaka", "大阪", "ja", "JP"),
    ("Singapore", "Singapore", "en", "SG"),
];
