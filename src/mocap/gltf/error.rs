//! What can be wrong with a glTF file, and where.

/// A fault that keeps a file from loading: `file: place in the JSON: problem`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{file}: {}{problem}", prefix(at))]
pub struct GltfError {
    /// The name the caller gave the bytes.
    pub file: String,
    /// Where in the document, as in `accessors[3].bufferView`; may be empty.
    pub at: String,
    /// What.
    pub problem: GltfProblem,
}

fn prefix(at: &str) -> String {
    match at {
        "" => String::new(),
        at => format!("{at}: "),
    }
}

impl GltfError {
    /// Names a problem in a file.
    #[must_use]
    pub fn new(file: &str, at: impl Into<String>, problem: GltfProblem) -> Self {
        Self {
            file: file.to_owned(),
            at: at.into(),
            problem,
        }
    }
}

/// The kinds of fault, with the offending numbers.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GltfProblem {
    /// Another kind of file under this name.
    #[error("this is not a glTF 2.0 file: {0}")]
    NotGltf(String),
    /// The binary container is cut short or wrong.
    #[error("the binary container is damaged: {0}")]
    Container(String),
    /// The JSON does not parse.
    #[error("line {line}, column {column} of the JSON: {message}")]
    Json {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// In the parser's words.
        message: String,
    },
    /// An extension without which the file means something else.
    #[error("the file needs the extension {0}, which is not supported; export it without")]
    Extension(String),
    /// A number that names nothing.
    #[error("there is no {what} {index}; the file has {count}")]
    NoSuch {
        /// What it should name.
        what: &'static str,
        /// What it says.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// Bytes beyond what holds them.
    #[error("{needs} bytes are needed where {whole} has {has}")]
    Beyond {
        /// Buffer or view.
        whole: String,
        /// How many bytes it would have to have.
        needs: u64,
        /// How many it has.
        has: u64,
    },
    /// Something else stands where this should.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What the format asks for here.
        expected: String,
        /// What the file has.
        found: String,
    },
    /// Following children leads back to the same node.
    #[error("the hierarchy runs in a circle through node {node}")]
    Cycle {
        /// A node on the circle.
        node: usize,
    },
    /// A node hangs from two parents.
    #[error("node {node} hangs from node {first} and from node {second}")]
    SecondParent {
        /// The node.
        node: usize,
        /// One parent.
        first: usize,
        /// The other.
        second: usize,
    },
    /// A buffer of its own file, or data in the address itself.
    #[error("{uri}: {reason}")]
    Resource {
        /// The address, shortened.
        uri: String,
        /// Why it could not be used.
        reason: String,
    },
    /// Reading all that the file asks for would take far more than it holds.
    #[error("{bytes} more bytes would be far beyond what a file of this size can hold")]
    TooMuch {
        /// What the last straw asked for.
        bytes: u64,
    },
    /// Anything else, in words.
    #[error("{0}")]
    Other(String),
}
