//! English plurals: the default names of prefixes, tables and tags.
//!
//! The rules are those of the npm package `pluralize` (36f03cd), as endings instead of regular expressions: the derive
//! would compile sixty of those each time it is loaded, which costs a crate more than some of its resources do.

use heck::ToSnakeCase;

/// Nouns that no rule covers.
const IRREGULAR: &[(&str, &str)] = &[
    ("anathema", "anathemata"),
    ("axe", "axes"),
    ("canvas", "canvases"),
    ("carve", "carves"),
    ("die", "dice"),
    ("dingo", "dingoes"),
    ("dogma", "dogmata"),
    ("eave", "eaves"),
    ("echo", "echoes"),
    ("foot", "feet"),
    ("genus", "genera"),
    ("goose", "geese"),
    ("groove", "grooves"),
    ("human", "humans"),
    ("lemma", "lemmata"),
    ("looey", "looies"),
    ("ox", "oxen"),
    ("passerby", "passersby"),
    ("pickaxe", "pickaxes"),
    ("proof", "proofs"),
    ("quiz", "quizzes"),
    ("schema", "schemata"),
    ("stigma", "stigmata"),
    ("stoma", "stomata"),
    ("thief", "thieves"),
    ("tooth", "teeth"),
    ("tornado", "tornadoes"),
    ("torpedo", "torpedoes"),
    ("valve", "valves"),
    ("viscus", "viscera"),
    ("volcano", "volcanoes"),
    ("yes", "yeses"),
];

/// Nouns that are their own plural.
const UNCOUNTABLE: &str = "
    adulthood advice agenda aid aircraft alcohol ammo analytics anime athletics audio bison blood bream buffalo
    butter carp cash chassis chess clothing cod commerce cooperation corps debris diabetes digestion elk energy
    equipment excretion expertise firmware flounder fun gallows garbage graffiti hardware headquarters health herpes
    highjinks homework housework information jeans justice kudos labour literature machinery mackerel mail manga
    media mews moose mud music news only personnel pike plankton pliers police pollution premises rain research rice
    salmon scissors series sewage shambles shrimp software staff swine tennis traffic transportation trout tuna
    wealth welfare whiting wildebeest wildlife
";

/// Endings of nouns, in the order they are tried: the stems, the endings of the singular, and the ending of the plural.
/// `-` is the empty text.
const ENDINGS: &[(&str, &str, &str)] = &[
    // Words whose plural is the singular.
    ("deer fish measles ois ous pokemon pokémon pox sheep eaux", "-", ""),
    // Irregular endings.
    ("m", "an en", "en"),
    ("child", "- ren", "ren"),
    ("pe", "rson ople", "ople"),
    // Latin and Greek: `index`, `matrix`.
    ("matr cod mur sil vert ind append", "ix ex", "ices"),
    ("x ch ss sh zz", "-", "es"),
    // `leaf`, `knife`.
    ("kni wi li", "fe", "ves"),
    ("ar l ea eo oa hoo", "f", "ves"),
    // `analysis`
    ("-", "sis", "ses"),
    ("apheli hyperbat periheli asyndet noumen phenomen criteri organ prolegomen hedr automat", "a on", "a"),
    (
        "agend addend millenni dat extrem bacteri desiderat strat candelabr errat ov symposi curricul automat quor",
        "a um",
        "a",
    ),
    ("her at gr", "o", "oes"),
    ("seraph cherub", "- im", "im"),
    ("alumn alg vertebr", "a ae", "ae"),
    ("alumn syllab vir radi nucle fung cact stimul termin bacill foc uter loc strat", "us i", "i"),
];

/// The plural of a type's name in snake case: its last word takes the plural.
///
/// ```
/// assert_eq!(crud_shared::plural::of_type("NewsCategory"), "news_categories");
/// ```
pub fn of_type(name: &str) -> String {
    let snake = name.to_snake_case();
    match snake.rsplit_once('_') {
        Some((head, last)) => format!("{head}_{}", of_noun(last)),
        None => of_noun(&snake),
    }
}

/// The plural of a noun in lower case. A plural stays as it is.
///
/// ```
/// use crud_shared::plural::of_noun;
///
/// assert_eq!(of_noun("category"), "categories");
/// assert_eq!(of_noun("people"), "people");
/// ```
pub fn of_noun(noun: &str) -> String {
    if let Some((_, plural)) = IRREGULAR.iter().find(|(singular, plural)| noun == *singular || noun == *plural) {
        return (*plural).to_owned();
    }
    if UNCOUNTABLE.split_whitespace().any(|uncountable| uncountable == noun) {
        return noun.to_owned();
    }
    by_ending(noun).unwrap_or_else(|| by_letters(noun))
}

/// The singular of a noun in lower case. A noun without another plural stays as it is, and so does one that is not a plural.
///
/// ```
/// use crud_shared::plural::singular_of_noun;
///
/// assert_eq!(singular_of_noun("categories"), "category");
/// assert_eq!(singular_of_noun("address"), "address");
/// ```
pub fn singular_of_noun(noun: &str) -> String {
    let is_uncountable = UNCOUNTABLE.split_whitespace().any(|uncountable| uncountable == noun);
    if of_noun(noun) != noun || is_uncountable || COLLECTIVE.contains(&noun) {
        return noun.to_owned();
    }
    let irregular = IRREGULAR.iter().filter(|(_, plural)| *plural == noun).map(|(singular, _)| (*singular).to_owned());
    let by_ending = SINGULAR_ENDINGS.iter().filter_map(|(plural, singular)| {
        let head = noun.strip_suffix(plural)?;
        (!head.is_empty()).then(|| format!("{head}{singular}"))
    });
    let is_singular = |candidate: &String| candidate != noun && of_noun(candidate) == noun;
    irregular.chain(by_ending).find(is_singular).unwrap_or_else(|| noun.to_owned())
}

/// Plurals whose singular is rarely used, or the same.
const COLLECTIVE: &[&str] = &["data", "media", "series", "species"];

/// Endings of plurals and of their singulars, in the order they are tried. A singular is right if its plural is the
/// noun.
const SINGULAR_ENDINGS: &[(&str, &str)] = &[
    ("ookies", "ookie"),
    ("ovies", "ovie"),
    ("lories", "lorie"),
    ("lfies", "lfie"),
    ("ombies", "ombie"),
    ("ies", "y"),
    ("ople", "rson"),
    ("ren", ""),
    ("en", "an"),
    ("ice", "ouse"),
    ("trices", "trix"),
    ("endices", "endix"),
    ("ices", "ex"),
    ("ves", "fe"),
    ("ves", "f"),
    ("lyses", "lysis"),
    ("rises", "risis"),
    ("sses", "ss"),
    ("shes", "sh"),
    ("ches", "ch"),
    ("xes", "x"),
    ("zzes", "zz"),
    ("ses", "s"),
    ("oes", "o"),
    ("s", ""),
    ("a", "um"),
    ("a", "on"),
    ("i", "us"),
    ("ae", "a"),
    ("im", ""),
];

fn by_ending(noun: &str) -> Option<String> {
    ENDINGS.iter().find_map(|(stems, endings, plural)| {
        let mut heads = one_of(endings).filter_map(|ending| noun.strip_suffix(ending));
        heads.find(|head| one_of(stems).any(|stem| head.ends_with(stem))).map(|head| format!("{head}{plural}"))
    })
}

/// The words of a list; `-` is the empty one.
fn one_of(words: &str) -> impl Iterator<Item = &str> {
    words.split(' ').map(|word| if word == "-" { "" } else { word })
}

/// The plural by the letter before the ending, or the regular one.
fn by_letters(noun: &str) -> String {
    let cut = |letters: usize, ending: &str| format!("{}{ending}", &noun[..noun.len() - letters]);
    let add = |ending| cut(0, ending);
    match noun.as_bytes() {
        b"mouse" | b"louse" | b"titmouse" => cut(4, "ice"),
        [.., before, b'i' | b'e' | b'o', b'l' | b'n', b'e', b'y'] if !b"ch".contains(before) => cut(2, "ies"),
        [.., before, b'y'] if !b"aeiouy".contains(before) || noun.ends_with("quy") => cut(1, "ies"),
        [.., b'a', b'x', b'i', b's'] | [.., b't', b'e', b's', b't', b'i', b's'] => cut(2, "es"),
        letters if is_its_own_plural(letters) => add(""),
        letters if takes_es(letters) => add("es"),
        [.., b's'] => add(""),
        [.., last] if !last.is_ascii() => add(""),
        _ => add("s"),
    }
}

fn is_its_own_plural(noun: &[u8]) -> bool {
    match noun {
        b"mice" | b"lice" | b"titmice" | [.., b'e', b'm' | b'n', b'u', b's'] => true,
        [.., before, b'e', b's', b'e'] => !is_vowel(*before),
        [.., before, b'i', b'a', b's'] => *before != b'l',
        [.., before, b'l', b'a', b's'] => is_vowel(*before),
        [.., before, b'a', b's'] => b"ejzr".contains(before),
        [.., before, b'a', b'm'] => b"iu".contains(before),
        _ => false,
    }
}

fn takes_es(noun: &[u8]) -> bool {
    match noun {
        [.., b't', b'l' | b'm', b'a', b's'] | [.., b'g', b'a', b's'] | [.., b'r', b'i', b's'] => true,
        [.., before, b'u', b's'] => !b"aou".contains(before),
        _ => noun.ends_with(b"alias"),
    }
}

fn is_vowel(letter: u8) -> bool {
    b"aeiou".contains(&letter)
}

#[cfg(test)]
mod tests {
    use super::{of_noun, of_type};

    #[track_caller]
    fn check(words: &[(&str, &str)]) {
        for (noun, plural) in words {
            assert_eq!(of_noun(noun), *plural);
            assert_eq!(of_noun(plural), *plural, "the plural of a plural");
        }
    }

    #[test]
    fn the_singular_of_a_plural_is_the_noun() {
        let nouns = "product category box branch address status alias leaf knife index matrix analysis criterion radius person \
                     child woman mouse quiz hero tooth film actor staff house image case base note movie day key course \
                     series news data media invoice language store city country process class bus";
        for noun in nouns.split_whitespace() {
            assert_eq!(super::singular_of_noun(&of_noun(noun)), noun);
        }
        for noun in ["address", "status", "film", "s", "", "news"] {
            assert_eq!(super::singular_of_noun(noun), noun, "it is not a plural");
        }
    }

    #[test]
    fn the_last_word_of_a_type_takes_the_plural() {
        let names = ["Product", "OrderItem", "NewsCategory", "HTTPLog", "Address2"];
        assert_eq!(names.map(of_type), ["products", "order_items", "news_categories", "http_logs", "address2s"]);
    }

    #[test]
    fn most_nouns_take_an_s() {
        check(&[("product", "products"), ("day", "days"), ("house", "houses"), ("menu", "menus"), ("log", "logs")]);
        check(&[("key", "keys"), ("image", "images"), ("roof", "roofs"), ("photo", "photos"), ("café", "café")]);
    }

    #[test]
    fn hissing_nouns_take_es() {
        check(&[("box", "boxes"), ("branch", "branches"), ("address", "addresses"), ("wish", "wishes")]);
        check(&[
            ("bus", "buses"),
            ("status", "statuses"),
            ("alias", "aliases"),
            ("gas", "gases"),
            ("atlas", "atlases"),
        ]);
    }

    #[test]
    fn a_y_after_a_consonant_becomes_ies() {
        check(&[
            ("category", "categories"),
            ("entry", "entries"),
            ("inquiry", "inquiries"),
            ("soliloquy", "soliloquies"),
        ]);
        check(&[("money", "monies"), ("honey", "honeys")]);
    }

    #[test]
    fn an_f_may_become_ves() {
        check(&[("leaf", "leaves"), ("knife", "knives"), ("half", "halves"), ("wolf", "wolves"), ("chef", "chefs")]);
    }

    #[test]
    fn latin_and_greek_keep_their_endings() {
        check(&[("index", "indices"), ("matrix", "matrices"), ("vertex", "vertices"), ("analysis", "analyses")]);
        check(&[("criterion", "criteria"), ("datum", "data"), ("curriculum", "curricula"), ("radius", "radii")]);
        check(&[("axis", "axes"), ("crisis", "crises"), ("schema", "schemata"), ("hero", "heroes")]);
    }

    #[test]
    fn some_nouns_are_irregular() {
        check(&[("person", "people"), ("child", "children"), ("woman", "women"), ("human", "humans")]);
        check(&[("mouse", "mice"), ("foot", "feet"), ("quiz", "quizzes"), ("salesperson", "salespeople")]);
    }

    #[test]
    fn some_nouns_have_no_plural() {
        for noun in ["series", "news", "sheep", "information", "equipment", "fish", "data", "media"] {
            assert_eq!(of_noun(noun), noun);
        }
    }

    #[test]
    fn a_word_of_one_letter_has_a_plural() {
        for (noun, plural) in [("", "s"), ("y", "ys"), ("s", "s"), ("é", "é"), ("f", "fs"), ("x", "xes")] {
            assert_eq!(of_noun(noun), plural);
        }
    }
}
