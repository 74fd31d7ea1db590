//! Faces: weights of morph targets from one skin onto another, by their names.
//!
//! Names are compared without case, blanks and what tools put in front of them
//! (`blendShape1.jawOpen`, `Fcl_MTH_A`). Beside equal names, the shapes of ARKit
//! (52 of them, most by side) and the expressions of VRM 0 and 1 are known as
//! wholes and parts of each other: *happy* is both corners of the mouth, *blink*
//! both eyes. A whole is the mean of the parts that are there; a part takes its
//! whole. Limits: shapes are trusted to look as they are called.

use crate::clip::MorphTrack;

/// How one target's weight comes about: the mean of these of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaceLink {
    /// Of the target.
    pub to: usize,
    /// Of the source.
    pub from: Vec<usize>,
}

/// Which morph targets of one skin move which of another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaceMap {
    /// What is matched.
    pub links: Vec<FaceLink>,
    /// Of the source, by name: nothing of the target moves by them.
    pub unmatched: Vec<String>,
    /// Of the target: they stay at rest.
    pub unmoved: Vec<String>,
}

/// What tools put before a name.
const PREFIXES: [&str; 8] = [
    "blendshape1",
    "blendshape",
    "fclmth",
    "fcleye",
    "fclbrw",
    "fclall",
    "face",
    "head",
];

/// One name of a shape, and how else it is called.
const ALIASES: [(&str, &[&str]); 22] = [
    ("aa", &["a", "vrca", "visemeaa", "vaa", "moutha"]),
    ("ih", &["i", "visemei", "vih", "mouthi"]),
    ("ou", &["u", "visemeu", "vou", "mouthu"]),
    ("ee", &["e", "visemee", "ve", "mouthe"]),
    ("oh", &["o", "visemeo", "voh", "moutho"]),
    ("blink", &["close", "eyesclosed", "eyeblink", "blinkboth"]),
    (
        "eyeblinkleft",
        &["blinkleft", "blinkl", "closel", "eyeblinkl", "leftblink"],
    ),
    (
        "eyeblinkright",
        &["blinkright", "blinkr", "closer", "eyeblinkr", "rightblink"],
    ),
    ("happy", &["joy", "fun", "smile", "mouthsmile"]),
    ("angry", &["anger"]),
    ("sad", &["sorrow"]),
    ("relaxed", &["calm"]),
    ("surprised", &["surprise"]),
    ("mouthsmileleft", &["mouthsmilel", "smileleft", "smilel"]),
    ("mouthsmileright", &["mouthsmiler", "smileright", "smiler"]),
    ("browdownleft", &["browdownl"]),
    ("browdownright", &["browdownr"]),
    ("mouthfrownleft", &["mouthfrownl"]),
    ("mouthfrownright", &["mouthfrownr"]),
    ("jawopen", &["mouthopen", "jawdown"]),
    ("lookup", &["eyeslookup"]),
    ("lookdown", &["eyeslookdown"]),
];

/// A whole and its parts: what VRM has as one and ARKit as several.
const WHOLES: [(&str, &[&str]); 14] = [
    ("aa", &["jawopen"]),
    ("ou", &["mouthpucker"]),
    ("oh", &["mouthfunnel"]),
    ("ee", &["mouthstretchleft", "mouthstretchright"]),
    ("ih", &["mouthdimpleleft", "mouthdimpleright"]),
    ("blink", &["eyeblinkleft", "eyeblinkright"]),
    ("happy", &["mouthsmileleft", "mouthsmileright"]),
    ("angry", &["browdownleft", "browdownright"]),
    ("sad", &["mouthfrownleft", "mouthfrownright"]),
    ("surprised", &["browinnerup", "eyewideleft", "eyewideright"]),
    ("lookup", &["eyelookupleft", "eyelookupright"]),
    ("lookdown", &["eyelookdownleft", "eyelookdownright"]),
    ("lookleft", &["eyelookoutleft", "eyelookinright"]),
    ("lookright", &["eyelookinleft", "eyelookoutright"]),
];

/// A name as it is compared.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let mut plain: String = letters.map(|it| it.to_ascii_lowercase()).collect();
    for prefix in PREFIXES {
        match plain.strip_prefix(prefix) {
            Some(rest) if !rest.is_empty() && !is_known(&plain) => plain = rest.to_owned(),
            _ => {}
        }
    }
    let known = ALIASES
        .iter()
        .find(|(_, others)| others.contains(&plain.as_str()));
    known.map_or(plain, |(name, _)| (*name).to_owned())
}

fn is_known(plain: &str) -> bool {
    ALIASES
        .iter()
        .any(|(name, others)| *name == plain || others.contains(&plain))
        || WHOLES
            .iter()
            .any(|(name, parts)| *name == plain || parts.contains(&plain))
}

impl FaceMap {
    /// By the names of both; nameless targets match nothing.
    #[must_use]
    pub fn between(source: &[String], target: &[String]) -> Self {
        let sources: Vec<String> = source.iter().map(|it| plain(it)).collect();
        let find = |wanted: &str| -> Vec<usize> {
            let named = sources.iter().enumerate();
            named
                .filter(|it| !it.1.is_empty() && *it.1 == wanted)
                .map(|it| it.0)
                .collect()
        };
        let mut map = Self::default();
        for (to, name) in target.iter().enumerate() {
            let wanted = plain(name);
            let from = moving(&wanted, find);
            match from.is_empty() {
                true => map.unmoved.push(told(name, to)),
                false => map.links.push(FaceLink { to, from }),
            }
        }
        let used = |index: &usize| map.links.iter().any(|it| it.from.contains(index));
        let unused: Vec<usize> = (0..source.len()).filter(|it| !used(it)).collect();
        map.unmatched = unused.into_iter().map(|it| told(&source[it], it)).collect();
        map
    }

    /// The weights of the source's tracks as the target has them.
    #[must_use]
    pub fn carry(&self, tracks: &[MorphTrack]) -> Vec<MorphTrack> {
        let carried = self.links.iter().filter_map(|link| {
            let own = |it: &&MorphTrack| link.from.contains(&usize::from(it.morph));
            let moving: Vec<&MorphTrack> = tracks.iter().filter(own).collect();
            let frames = moving.first()?.values.len();
            // Parts that have no track stand at rest and count all the same.
            let mean = |frame: usize| {
                moving.iter().map(|it| it.values[frame]).sum::<f32>() / link.from.len() as f32
            };
            Some(MorphTrack {
                morph: link.to as u16,
                values: (0..frames).map(mean).collect(),
            })
        });
        carried.collect()
    }
}

/// Who moves a target: its namesake, else its parts, else its whole.
fn moving(wanted: &str, find: impl Fn(&str) -> Vec<usize>) -> Vec<usize> {
    let same = find(wanted);
    if wanted.is_empty() || !same.is_empty() {
        return same;
    }
    let whole = WHOLES.iter().find(|it| it.0 == wanted);
    let parts: Vec<usize> = whole
        .into_iter()
        .flat_map(|it| it.1)
        .flat_map(|it| find(it))
        .collect();
    if !parts.is_empty() {
        return parts;
    }
    let wholes = WHOLES.iter().filter(|it| it.1.contains(&wanted));
    wholes
        .map(|it| find(it.0))
        .find(|it| !it.is_empty())
        .unwrap_or_default()
}

fn told(name: &str, number: usize) -> String {
    match name.is_empty() {
        true => number.to_string(),
        false => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|it| (*it).to_owned()).collect()
    }

    #[test]
    fn arkit_moves_vrm_and_the_other_way_round() {
        let arkit = names(&[
            "jawOpen",
            "eyeBlinkLeft",
            "eyeBlink_R",
            "mouthSmileLeft",
            "tongueOut",
        ]);
        let vrm = names(&["aa", "blink", "happy", "Fcl_EYE_Close_L", "relaxed"]);
        let map = FaceMap::between(&arkit, &vrm);
        let from = |to: usize| {
            map.links
                .iter()
                .find(|it| it.to == to)
                .map(|it| it.from.clone())
        };
        assert_eq!(from(0), Some(vec![0]));
        assert_eq!(from(1), Some(vec![1, 2]));
        assert_eq!(from(2), Some(vec![3]));
        assert_eq!(from(3), Some(vec![1]));
        assert_eq!(map.unmoved, ["relaxed"]);
        assert_eq!(map.unmatched, ["tongueOut"]);
        let back = FaceMap::between(&vrm, &arkit);
        let from = |to: usize| {
            back.links
                .iter()
                .find(|it| it.to == to)
                .map(|it| it.from.clone())
        };
        assert_eq!(from(0), Some(vec![0]));
        assert_eq!(from(1), Some(vec![3]), "its own before both");
        assert_eq!(from(2), Some(vec![1]), "both eyes close");
        assert_eq!(back.unmoved, ["tongueOut"]);
    }

    #[test]
    fn wholes_are_the_mean_of_their_parts() {
        let map = FaceMap::between(
            &names(&["blendShape1.eyeBlinkLeft", "blendShape1.eyeBlinkRight"]),
            &names(&["Blink"]),
        );
        let track = |morph, value| MorphTrack {
            morph,
            values: vec![value; 3],
        };
        let carried = map.carry(&[track(0, 1.0), track(1, 0.5)]);
        assert_eq!(carried, [track(0, 0.75)]);
        // One eye alone is half a blink.
        assert_eq!(map.carry(&[track(0, 1.0)]), [track(0, 0.5)]);
        assert!(map.carry(&[]).is_empty());
    }

    #[test]
    fn equal_names_match_whatever_they_are_and_numbers_do_not() {
        let map = FaceMap::between(&names(&["Nose Twitch", ""]), &names(&["nose_twitch", ""]));
        assert_eq!(
            map.links,
            [FaceLink {
                to: 0,
                from: vec![0]
            }]
        );
        assert_eq!((map.unmatched.len(), map.unmoved.len()), (1, 1));
    }
}
