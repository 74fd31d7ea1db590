//! What a clip's name says of it: `Armature|Running_01` runs.

use super::clips::AnimatorClip;

/// Words for a clip that animators call by one of these names.
struct Meaning {
    slots: &'static [&'static str],
    /// The plainest first.
    words: &'static [&'static str],
}

const MEANINGS: [Meaning; 6] = [
    Meaning {
        slots: &["idle", "stand"],
        words: &["idle", "idling", "stand", "standing", "breathing"],
    },
    Meaning {
        slots: &["forward", "walk"],
        words: &["walk", "walking", "walks"],
    },
    Meaning {
        slots: &["run"],
        words: &["run", "running", "runs", "jog", "jogging", "sprint"],
    },
    Meaning {
        slots: &["jump"],
        words: &["jump", "jumping", "jumps"],
    },
    Meaning {
        slots: &["attack"],
        words: &["attack", "punch", "punching", "strike"],
    },
    Meaning {
        slots: &["wave"],
        words: &["wave", "waving", "waves"],
    },
];

/// Words that make a walk or a run another one.
const OTHERWISE: [&str; 17] = [
    "back",
    "backward",
    "backwards",
    "left",
    "right",
    "side",
    "sideways",
    "strafe",
    "turn",
    "turning",
    "crouch",
    "sneak",
    "stairs",
    "start",
    "stop",
    "to",
    "injured",
];

/// The clip among `clips` whose name says most plainly what `slot` plays.
pub fn best_for(slot: &str, clips: &[AnimatorClip]) -> Option<usize> {
    let meaning = MEANINGS.iter().find(|it| it.slots.contains(&slot))?;
    let fit = |(index, clip): (usize, &AnimatorClip)| {
        let (words, rank) = meaning.fit(clip.name())?;
        Some((words, rank, index))
    };
    clips
        .iter()
        .enumerate()
        .filter_map(fit)
        .min()
        .map(|it| it.2)
}

/// Whether a name says what its clip is, to any state: `run_02`, `turn_left`.
#[must_use]
pub fn says_what(name: &str) -> bool {
    let words = words(name);
    let meant = |it: &Meaning| {
        let slot = |word: &String| it.slots.contains(&word.as_str());
        words
            .iter()
            .any(|word| slot(word) || it.rank(word).is_some())
    };
    let otherwise = |word: &String| OTHERWISE.contains(&word.as_str());
    MEANINGS.iter().any(meant) || words.iter().all(otherwise)
}

impl Meaning {
    /// How many words a name has, and which of the meaning's is among them;
    /// `None` where there is none, or one of another meaning too.
    fn fit(&self, name: &str) -> Option<(usize, usize)> {
        let words = words(name);
        let rank = words.iter().find_map(|word| self.rank(word))?;
        let other = |word: &String| {
            let others = MEANINGS.iter().filter(|it| it.slots != self.slots);
            OTHERWISE.contains(&word.as_str())
                || others.into_iter().any(|it| it.rank(word).is_some())
        };
        (!words.iter().any(other)).then_some((words.len(), rank))
    }

    fn rank(&self, word: &str) -> Option<usize> {
        self.words.iter().position(|known| *known == word)
    }
}

/// Words of a name in small letters; capitals begin words, digits are none.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for letter in name.chars() {
        if !letter.is_alphabetic() || (letter.is_uppercase() && after_small) {
            words.push(String::new());
        }
        after_small = letter.is_lowercase();
        if let (true, Some(word)) = (letter.is_alphabetic(), words.last_mut()) {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clip::RawClip;

    fn best(slot: &str, names: &[&str]) -> Option<String> {
        let clip = |name: &&str| {
            let frames = RawClip {
                name: (*name).to_owned(),
                ..RawClip::default()
            };
            AnimatorClip::from(frames)
        };
        let clips: Vec<AnimatorClip> = names.iter().map(clip).collect();
        best_for(slot, &clips).map(|index| clips[index].name().to_owned())
    }

    #[test]
    fn names_say_who_stands_walks_and_runs() {
        let robot = [
            "Dance", "Idle", "Running", "Standing", "WalkJump", "Walking", "Wave",
        ];
        assert_eq!(best("idle", &robot).as_deref(), Some("Idle"));
        assert_eq!(best("forward", &robot).as_deref(), Some("Walking"));
        assert_eq!(best("run", &robot).as_deref(), Some("Running"));
        assert_eq!(best("jump", &robot), None, "a walking jump is neither");
        let odd = [
            "mixamo.com|run_back",
            "Armature|Jog_Fwd_01",
            "walk-left",
            "female_walk2",
        ];
        assert_eq!(best("run", &odd).as_deref(), Some("Armature|Jog_Fwd_01"));
        assert_eq!(best("forward", &odd).as_deref(), Some("female_walk2"));
        assert_eq!(best("idle", &odd), None);
        assert_eq!(best("run", &["prune", "trunk", "35_17"]), None);
        assert_eq!(best("dance", &robot), None, "no state of ours");
    }
}
