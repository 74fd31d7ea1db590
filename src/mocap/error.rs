//! What can be wrong with a file, and where.

/// A place in a text: line and column, both counted from 1; columns count bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPosition {
    /// Line.
    pub line: u64,
    /// Column.
    pub column: u64,
}

impl TextPosition {
    /// The first byte.
    pub const START: Self = Self { line: 1, column: 1 };
}

/// A fault that keeps a file from loading: `file:line:column: problem`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{file}:{}:{}: {problem}", position.line, position.column)]
pub struct MocapError {
    /// The name the caller gave the bytes.
    pub file: String,
    /// Where.
    pub position: TextPosition,
    /// What.
    pub problem: Problem,
}

impl MocapError {
    /// Names a problem in a file.
    #[must_use]
    pub fn new(file: &str, position: TextPosition, problem: Problem) -> Self {
        Self {
            file: file.to_owned(),
            position,
            problem,
        }
    }
}

/// The kinds of fault, with the offending words and numbers.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Problem {
    /// Something else stands where this should.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What the format asks for here.
        expected: String,
        /// What the file has, shortened.
        found: String,
    },
    /// No bytes at all, or only white space and comments.
    #[error("the file is empty; expected {expected}")]
    Empty {
        /// What should be in it.
        expected: &'static str,
    },
    /// Another kind of file under this name.
    #[error("this is not {expected}: {why}")]
    WrongFormat {
        /// What was asked for.
        expected: &'static str,
        /// How one can tell.
        why: String,
    },
    /// A number too large to be a length or an angle.
    #[error("{found} is out of range: magnitudes must stay below 1,000,000,000")]
    OutOfRange {
        /// As written.
        found: String,
    },
    /// A name that must be unique is not.
    #[error("bone {name:?} was already defined on line {first_line}")]
    DuplicateBone {
        /// The name.
        name: String,
        /// Where it came first.
        first_line: u64,
    },
    /// More bones than a skeleton may have.
    #[error("more than {limit} bones")]
    TooManyBones {
        /// The limit.
        limit: usize,
    },
    /// The hierarchy names a bone that `:bonedata` does not define.
    #[error("bone {name:?} is not defined in :bonedata")]
    UnknownBone {
        /// The name.
        name: String,
    },
    /// A bone hangs from two parents.
    #[error("bone {name:?} already hangs from {parent:?} (line {first_line})")]
    SecondParent {
        /// The bone.
        name: String,
        /// Its first parent.
        parent: String,
        /// Where that was said.
        first_line: u64,
    },
    /// Following parents leads back to the same bone.
    #[error("the hierarchy runs in a circle through bone {name:?}")]
    Cycle {
        /// A bone on the circle.
        name: String,
    },
    /// A bone line does not carry one value per degree of freedom.
    #[error("frame {frame}, bone {bone:?}: expected {expected} values, found {found}")]
    ValueCount {
        /// Frame as numbered in the file.
        frame: u64,
        /// Bone as spelt in the motion.
        bone: String,
        /// What the skeleton asks for.
        expected: String,
        /// How many there are.
        found: usize,
    },
    /// A bone twice in one frame.
    #[error("frame {frame}: bone {bone:?} appears twice")]
    BoneTwice {
        /// Frame as numbered in the file.
        frame: u64,
        /// The bone.
        bone: String,
    },
    /// The only frame is cut short.
    #[error("frame {frame} ends after {found} of {expected} bones (missing {missing:?})")]
    FrameCut {
        /// Frame as numbered in the file.
        frame: u64,
        /// Bones it has.
        found: usize,
        /// Bones it should have.
        expected: usize,
        /// The first missing one.
        missing: String,
    },
    /// Motion and skeleton have no bone in common.
    #[error(
        "no bone of this motion is in the skeleton {skeleton:?} (the motion has {motion_bones})"
    )]
    NoCommonBone {
        /// Name of the skeleton.
        skeleton: String,
        /// The first few bone names of the motion.
        motion_bones: String,
    },
    /// Most values are missing: not a motion, and a memory bomb if believed.
    #[error("by frame {frame} the file gives only {given} of {due} values")]
    MostlyMissing {
        /// Frame as numbered in the file.
        frame: u64,
        /// Values seen.
        given: u64,
        /// Values a full file would have had by now.
        due: u64,
    },
    /// Anything else, in words.
    #[error("{0}")]
    Other(String),
}
