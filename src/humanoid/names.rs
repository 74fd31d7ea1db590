//! What joints are called: one table for every convention.
//!
//! A name is cut into words (`mixamorig:LeftUpLeg`, `J_Bip_L_UpperLeg`,
//! `Bip01 L Thigh`, `thigh_l`, `UpperLeg.L` and `lfemur` all are), the word for
//! the side is taken out, what rigs put before every name is dropped, and the
//! rest is looked up. Known: CMU and HDM05, the usual BVH spellings (LAFAN's and
//! Bandai Namco's are among them), SMPL, OptiTrack, Poser's, Mixamo, Unreal, VRM
//! and VRoid, 3ds Max Biped, Blender and Rigify.

use super::role::{Limb, Side};
use crate::skeleton::{JointIndex, Skeleton};

/// Words for a limb's part, best first. Both sides must use the same word:
/// `LeftArm` never pairs with `RightShoulder`.
fn words(limb: Limb) -> &'static [&'static str] {
    match limb {
        // Clavicles are read off the hierarchy; the word also names upper arms.
        Limb::Clavicle => &[],
        Limb::UpperArm => &[
            "humerus", "upperarm", "uparm", "uarm", "arm", "shldr", "shoulder", "bicep",
        ],
        Limb::Forearm => &[
            "radius", "forearm", "lowerarm", "lowarm", "loarm", "farm", "elbow",
        ],
        Limb::Hand => &["hand", "wrist"],
        Limb::Thumb => &["thumb", "handthumb", "fingerthumb", "finger0"],
        Limb::Index => &[
            "index",
            "handindex",
            "indexfinger",
            "fingerindex",
            "finger1",
        ],
        Limb::Middle => &[
            "middle",
            "mid",
            "handmiddle",
            "middlefinger",
            "fingermiddle",
            "finger2",
        ],
        Limb::Ring => &["ring", "handring", "ringfinger", "fingerring", "finger3"],
        Limb::Little => &[
            "little",
            "pinky",
            "pinkie",
            "handpinky",
            "handlittle",
            "littlefinger",
            "finger4",
        ],
        Limb::Fingers => &["fingers"],
        Limb::Thigh => &["femur", "upleg", "upperleg", "thigh", "hip", "leg"],
        Limb::Shin => &[
            "tibia", "lowleg", "lowerleg", "loleg", "shin", "calf", "knee", "leg",
        ],
        Limb::Foot => &["foot", "ankle"],
        Limb::Toes => &["toes", "toebase", "toe", "ball"],
    }
}

/// Put before or after a name by rigs and exporters; says nothing.
const NOISE: [&str; 17] = [
    "mixamorig",
    "bip",
    "valvebiped",
    "j",
    "c",
    "def",
    "org",
    "b",
    "bn",
    "bone",
    "jnt",
    "cc",
    "sk",
    "proximal",
    "intermediate",
    "distal",
    "metacarpal",
];

/// Joints that carry no part of their own: twist and roll bones, targets of
/// IK, ends, hair and cloth of VRoid.
const HELPERS: [&str; 16] = [
    "twist", "roll", "ik", "fk", "pole", "target", "end", "nub", "site", "ctrl", "sec", "adj",
    "helper", "eye", "effector", "offset",
];

/// Parts that are no limb's and yet are told by side without a gap: `lclavicle`.
const SIDED: [&str; 8] = [
    "clavicle", "collar", "scapula", "hipjoint", "buttock", "palm", "heel", "eye",
];

/// Parts that only a number follows: the `L1` to `L5` of a spine are lumbar
/// vertebrae, and on their own (Xsens) they are too.
const VERTEBRAE: [&str; 5] = ["", "spine", "lumbar", "vertebra", "back"];

/// A name read.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
struct Spelling {
    side: Option<Side>,
    /// Words without side, noise and numbers, joined.
    part: String,
    /// Digits after the part.
    digits: String,
    helper: bool,
}

/// The names of a skeleton, read.
pub(crate) struct Names(Vec<Spelling>);

impl Names {
    pub fn of(skeleton: &Skeleton) -> Self {
        let names = skeleton.joints().iter().map(|joint| read(&joint.name));
        Self(names.collect())
    }

    fn find(&self, wanted: impl Fn(&Spelling) -> bool) -> Option<JointIndex> {
        // An unnumbered name is meant before a numbered one, the first before
        // the second.
        let found = self.0.iter().enumerate();
        // The first of several equals: nearer to the root.
        let found = found.filter(|(_, name)| !name.helper && wanted(name));
        let found = found.min_by_key(|(_, name)| name.digits.trim_start_matches('0').len());
        found.map(|(index, _)| index as JointIndex)
    }

    /// The head, or another part of the trunk.
    pub fn trunk(&self, part: &str) -> Option<JointIndex> {
        self.find(|name| name.side.is_none() && name.part == part)
    }

    fn side(&self, side: Side, word: &str) -> Option<JointIndex> {
        self.find(|name| name.side == Some(side) && is_called(name, word))
    }

    /// A part on both sides, left first.
    pub fn pair(&self, limb: Limb, taken: &[JointIndex]) -> Option<[JointIndex; 2]> {
        let free = |joint: &JointIndex| !taken.contains(joint);
        words(limb).iter().find_map(|word| {
            // Found on both sides or not at all: one side alone is a prop or a guess.
            let left = self.side(Side::Left, word).filter(free)?;
            Some([left, self.side(Side::Right, word).filter(free)?])
        })
    }

    /// A part on one side alone: fingers, toes, a hand that the other lacks.
    pub fn one(&self, side: Side, limb: Limb) -> Option<JointIndex> {
        words(limb).iter().find_map(|word| self.side(side, word))
    }

    /// Whether a joint is called so, whatever its number.
    pub fn is(&self, joint: JointIndex, side: Side, limb: Limb) -> bool {
        let name = &self.0[usize::from(joint)];
        let called = |word: &&str| is_called(name, word);
        name.side == Some(side) && words(limb).iter().any(called)
    }

    /// The side a joint's name speaks of.
    pub fn side_of(&self, joint: JointIndex) -> Option<Side> {
        self.0[usize::from(joint)].side
    }

    /// The joint of the same name on the other side, or the joint itself.
    pub fn opposite(&self, joint: JointIndex) -> JointIndex {
        let own = &self.0[usize::from(joint)];
        let Some(side) = own.side else {
            return joint;
        };
        let is_opposite = |name: &Spelling| {
            name.side == Some(side.other())
                && (&name.part, &name.digits, name.helper) == (&own.part, &own.digits, own.helper)
        };
        let found = self.0.iter().position(is_opposite);
        found.map_or(joint, |index| index as JointIndex)
    }

    /// Whether a joint is one of several that make a palm.
    pub fn is_palm(&self, joint: JointIndex) -> bool {
        let part = self.0[usize::from(joint)].part.as_str();
        part.contains("palm")
    }

    /// Whether a joint is the back of a foot.
    pub fn is_heel(&self, joint: JointIndex) -> bool {
        self.0[usize::from(joint)].part.contains("heel")
    }

    /// Whether a joint is there for the rig's sake.
    pub fn is_helper(&self, joint: JointIndex) -> bool {
        self.0[usize::from(joint)].helper
    }
}

/// Biped counts fingers and their joints in one number: `Finger0`, `Finger01`,
/// `Finger02` are the thumb.
fn is_called(name: &Spelling, word: &str) -> bool {
    match word
        .strip_prefix("finger")
        .filter(|rest| matches!(rest, &"0" | &"1" | &"2" | &"3" | &"4"))
    {
        Some(digit) => name.part == "finger" && name.digits.starts_with(digit),
        None => name.part == word,
    }
}

fn read(name: &str) -> Spelling {
    // Maya's namespaces and paths: `char:rig|LeftArm`.
    let own = name.rsplit([':', '|']).next().unwrap_or(name);
    let mut spelling = Spelling::default();
    let mut before = String::new();
    let words = cut(own);
    for word in &words {
        // Biped numbers the character: the 01 of `Bip01` is no joint's.
        let numbered_noise = matches!(before.as_str(), "bip" | "valvebiped");
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        if is_number {
            if !numbered_noise {
                spelling.digits = word.clone();
            }
        } else if let (Some(side), None) = (side_word(word), spelling.side) {
            spelling.side = Some(side);
        } else if HELPERS.contains(&word.as_str()) {
            spelling.helper = true;
        } else if !(NOISE.contains(&word.as_str()) || word == "base" && before == "cc") {
            spelling.part.push_str(word);
        }
        before.clone_from(word);
    }
    if spelling.side.is_none() {
        split_side(&mut spelling);
    }
    let numbered_l = !spelling.digits.is_empty() && words.iter().any(|word| word == "l");
    if numbered_l && VERTEBRAE.contains(&spelling.part.as_str()) {
        spelling.side = None;
    }
    spelling
}

/// The side a name speaks of.
pub(super) fn side_of(name: &str) -> Option<Side> {
    read(name).side
}

fn side_word(word: &str) -> Option<Side> {
    match word {
        "l" | "left" | "lft" | "lt" => Some(Side::Left),
        "r" | "right" | "rgt" | "rt" => Some(Side::Right),
        _ => None,
    }
}

/// `lfemur`, `leftarm`, `thighleft`: a side without a gap. One letter says so
/// only before what is known, since `root` is no right foot.
fn split_side(spelling: &mut Spelling) {
    let known = |rest: &str| {
        let mut all = Limb::ALL.into_iter();
        all.any(|limb| words(limb).contains(&rest)) || SIDED.contains(&rest)
    };
    let part = spelling.part.clone();
    let cuts = [
        // The long words first: `left…` also starts with an l.
        (Side::Left, part.strip_prefix("left")),
        (Side::Right, part.strip_prefix("right")),
        (Side::Left, part.strip_prefix('l')),
        (Side::Right, part.strip_prefix('r')),
        (Side::Left, part.strip_suffix("left")),
        (Side::Right, part.strip_suffix("right")),
    ];
    for (side, rest) in cuts {
        if let Some(rest) = rest.filter(|rest| known(rest)) {
            spelling.side = Some(side);
            spelling.part = rest.to_owned();
            return;
        }
    }
}

/// Words of a name in lower case: cut at anything but letters and digits,
/// between letters and digits, and where a capital begins a word.
fn cut(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let chars: Vec<char> = name.chars().collect();
    let mut open = false;
    for (i, &c) in chars.iter().enumerate() {
        if !c.is_alphanumeric() {
            open = false;
            continue;
        }
        let before = if i > 0 { chars[i - 1] } else { ' ' };
        let after = chars.get(i + 1).copied().unwrap_or(' ');
        // `LeftArm` between t and A; `LHip` between L and H, an H with a small
        // letter after it; `IK` stays whole.
        let capital_begins = c.is_uppercase()
            && (before.is_lowercase() || (before.is_uppercase() && after.is_lowercase()));
        let kind_changes = c.is_numeric() != before.is_numeric();
        if !open || capital_begins || kind_changes {
            words.push(String::new());
        }
        open = true;
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_convention_is_cut_into_side_part_and_number() {
        let cases = [
            ("lfemur", Some(Side::Left), "femur", ""),
            ("rhumerus", Some(Side::Right), "humerus", ""),
            ("LeftUpLeg", Some(Side::Left), "upleg", ""),
            ("mixamorig:RightForeArm", Some(Side::Right), "forearm", ""),
            (
                "mixamorig_LeftHandThumb2",
                Some(Side::Left),
                "handthumb",
                "2",
            ),
            ("J_Bip_L_UpperArm", Some(Side::Left), "upperarm", ""),
            ("J_Bip_C_Hips", None, "hips", ""),
            ("Bip01 R Calf", Some(Side::Right), "calf", ""),
            ("Bip001_L_Finger02", Some(Side::Left), "finger", "02"),
            ("thigh_l", Some(Side::Left), "thigh", ""),
            ("UpperLeg.R", Some(Side::Right), "upperleg", ""),
            ("DEF-upper_arm.L", Some(Side::Left), "upperarm", ""),
            ("CC_Base_L_ToeBase", Some(Side::Left), "toebase", ""),
            ("leftarm", Some(Side::Left), "arm", ""),
            ("rShldr", Some(Side::Right), "shldr", ""),
            ("LHipJoint", Some(Side::Left), "hipjoint", ""),
            ("LFingers", Some(Side::Left), "fingers", ""),
            ("b_RightUpperArm_06", Some(Side::Right), "upperarm", "06"),
            ("root", None, "root", ""),
            ("lowerback", None, "lowerback", ""),
        ];
        for (name, side, part, digits) in cases {
            let read = read(name);
            let found = (read.side, read.part.as_str(), read.digits.as_str());
            assert_eq!(found, (side, part, digits), "{name}");
        }
    }

    #[test]
    fn the_side_is_read_off_every_rigs_spelling() {
        for (left, right) in [
            ("lfemur", "rfemur"),                            // CMU, HDM05
            ("LHipJoint", "RHipJoint"),                      // CMU as BVH
            ("LeftUpLeg", "RightUpLeg"),                     // LAFAN
            ("UpperLeg_L", "UpperLeg_R"),                    // Bandai Namco
            ("mixamorig:LeftUpLeg", "mixamorig:RightUpLeg"), // Mixamo
            ("thigh_l", "thigh_r"),                          // Unreal
            ("upperarm_twist_01_l", "upperarm_twist_01_r"),
            ("UpperLeg.L", "UpperLeg.R"), // Blender
            ("thigh.L.001", "thigh.R.001"),
            ("DEF-thigh.L", "DEF-thigh.R"), // Rigify
            ("ORG-f_index.01.L", "ORG-f_index.01.R"),
            ("Bip01 L Thigh", "Bip01 R Thigh"), // Biped
            ("Bip01_L_Foot", "Bip01_R_Foot"),
            ("ValveBiped.Bip01_L_Hand", "ValveBiped.Bip01_R_Hand"),
            ("L_Hip", "R_Hip"), // SMPL
            ("left_wrist", "right_wrist"),
            ("shoulder_L", "shoulder_R"),
            ("J_Bip_L_UpperLeg", "J_Bip_R_UpperLeg"), // VRoid
            ("leftUpperLeg", "rightUpperLeg"),        // VRM
            ("lShldr", "rShldr"),                     // Poser
            ("lEye", "rEye"),
            ("lclavicle", "rclavicle"),
            ("LUArm", "RUArm"),          // OptiTrack
            ("HipLeft", "HipRight"),     // Kinect
            ("mKneeLeft", "mKneeRight"), // Second Life
            ("CC_Base_L_Calf", "CC_Base_R_Calf"),
            ("leftarm", "rightarm"),
            ("thighleft", "thighright"),
            ("Finger_L1", "Finger_R1"),
        ] {
            assert_eq!(Side::of_name(left), Some(Side::Left), "{left}");
            assert_eq!(Side::of_name(right), Some(Side::Right), "{right}");
        }
    }

    #[test]
    fn the_middle_has_no_side() {
        for name in [
            "root",
            "Reference",
            "ribs",
            "ribcage",
            "lowerback",
            "LowerBack",
            "lumbar",
            "lowerneck",
            "pelvis",
            "Hips",
            "collar",
            "control",
            "lid",
            "ring",
            "rear",
            "upright",
            "leg",
            "Spine_L1",
            "spine.L5",
            "L5",
            "T12",
            "Spine1",
            "mixamorig:Spine2",
            "J_Bip_C_UpperChest",
            "Bip01 Spine",
            "head",
            "",
        ] {
            assert_eq!(Side::of_name(name), None, "{name}");
        }
    }

    #[test]
    fn helpers_are_known() {
        for name in [
            "upperarm_twist_01_l",
            "ik_foot_r",
            "PoleTarget.L",
            "LeftForeArmRoll",
            "Bip01 HeadNub",
            "J_Sec_L_Hair1_01",
        ] {
            assert!(read(name).helper, "{name}");
        }
        assert!(!read("LeftHand").helper);
    }
}
