//! Numbers out of buffers, every range checked first.

use super::{
    super::MAX_MAGNITUDE,
    GltfDocument, GltfError, GltfProblem,
    json::{
        Accessor,
        accessor::{ComponentType, Type, sparse::Sparse},
        validation::Checked,
    },
};

/// Where the elements of an accessor lie.
struct Elements<'a> {
    bytes: &'a [u8],
    stride: usize,
    component: ComponentType,
}

impl Elements<'_> {
    /// One component of one element; `new` has made sure that it is there.
    fn raw(&self, element: usize, component: usize) -> &[u8] {
        let size = self.component.size();
        let at = element * self.stride + component * size;
        self.bytes.get(at..at + size).unwrap_or(&[0; 4])
    }

    fn float(&self, element: usize, component: usize, normalised: bool) -> f32 {
        let raw = self.raw(element, component);
        let short = || [raw[0], raw[1]];
        let long = || [raw[0], raw[1], raw[2], raw[3]];
        // Signed fractions reach −1 twice, says the format.
        let part = |value: f32, most: f32| {
            if normalised {
                (value / most).max(-1.0)
            } else {
                value
            }
        };
        match self.component {
            ComponentType::I8 => part(f32::from(raw[0] as i8), 127.0),
            ComponentType::U8 => part(f32::from(raw[0]), 255.0),
            ComponentType::I16 => part(f32::from(i16::from_le_bytes(short())), 32767.0),
            ComponentType::U16 => part(f32::from(u16::from_le_bytes(short())), 65535.0),
            // The format allows no fractions in 32 bits.
            ComponentType::U32 => u32::from_le_bytes(long()) as f32,
            ComponentType::F32 => f32::from_le_bytes(long()),
        }
    }

    fn integer(&self, element: usize, component: usize) -> u32 {
        let raw = self.raw(element, component);
        match self.component {
            ComponentType::U8 => u32::from(raw[0]),
            ComponentType::U16 => u32::from(u16::from_le_bytes([raw[0], raw[1]])),
            ComponentType::U32 => u32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]]),
            _ => 0, // refused before
        }
    }
}

impl GltfDocument {
    /// All numbers of an accessor of this type, element after element;
    /// fractions stored as integers become fractions, sparse values replace
    /// what they stand for.
    pub fn floats(&self, accessor: usize, kind: Type) -> Result<Vec<f32>, GltfError> {
        let at = || format!("accessors[{accessor}]");
        let it = self.accessor(accessor)?;
        let width = self.expect_type(it, &[kind], at)?;
        let count = self.reserve(it, width, at)?;
        let normalised = it.normalized;
        let read = |elements: &Elements<'_>, element: usize, component: usize| {
            elements.float(element, component, normalised)
        };
        self.collect(it, width, count, at, read)
    }

    /// The same for lengths, times and whatever else is reckoned with: numbers
    /// beyond all measure are refused.
    pub fn measures(&self, accessor: usize, kind: Type) -> Result<Vec<f32>, GltfError> {
        let floats = self.floats(accessor, kind)?;
        let sound = |it: &&f32| f64::from(it.abs()) < MAX_MAGNITUDE;
        match floats.iter().find(|it| !sound(it)) {
            None => Ok(floats),
            Some(wild) => {
                let problem = expected("numbers below 1,000,000,000", format!("{wild:e}"));
                Err(self.error(format!("accessors[{accessor}]"), problem))
            }
        }
    }

    /// The same for unsigned integers.
    pub fn integers(&self, accessor: usize, kind: Type) -> Result<Vec<u32>, GltfError> {
        let at = || format!("accessors[{accessor}]");
        let it = self.accessor(accessor)?;
        let width = self.expect_type(it, &[kind], at)?;
        let component = self.component(it, at)?;
        if !matches!(
            component,
            ComponentType::U8 | ComponentType::U16 | ComponentType::U32
        ) {
            let problem = expected("unsigned integers", format!("{component:?}"));
            return Err(self.error(at(), problem));
        }
        let count = self.reserve(it, width, at)?;
        let read = |elements: &Elements<'_>, element: usize, component: usize| {
            elements.integer(element, component)
        };
        self.collect(it, width, count, at, read)
    }

    /// Number of elements of an accessor.
    pub fn count(&self, accessor: usize) -> Result<usize, GltfError> {
        Ok(self.accessor(accessor)?.count.0 as usize)
    }

    /// The type of an accessor.
    pub fn kind(&self, accessor: usize) -> Result<Type, GltfError> {
        match self.accessor(accessor)?.type_ {
            Checked::Valid(kind) => Ok(kind),
            Checked::Invalid => Err(self.error(
                format!("accessors[{accessor}]"),
                expected("a known type", "another".into()),
            )),
        }
    }

    /// The bytes of a buffer view.
    pub fn view(&self, view: usize) -> Result<&[u8], GltfError> {
        let at = || format!("bufferViews[{view}]");
        let views = &self.root.buffer_views;
        let index = self.index(at, "buffer view", view, views.len())?;
        let it = &views[index];
        if let Some(unpacked) = self.unpacked.get(&index) {
            return Ok(unpacked);
        }
        let buffer = it.buffer.value();
        let buffer = self.index(at, "buffer", buffer, self.buffers.len())?;
        let start = it.byte_offset.map_or(0, |it| it.0);
        self.range(&self.buffers[buffer], start, it.byte_length.0, || {
            (at(), format!("buffer {buffer}"))
        })
    }

    fn range<'a>(
        &self,
        bytes: &'a [u8],
        start: u64,
        length: u64,
        named: impl FnOnce() -> (String, String),
    ) -> Result<&'a [u8], GltfError> {
        // In 64 bits and saturating: a hostile offset must not wrap round
        // to one that fits.
        let needs = start.saturating_add(length);
        if needs <= bytes.len() as u64 {
            return Ok(&bytes[start as usize..needs as usize]);
        }
        let (at, whole) = named();
        let has = bytes.len() as u64;
        Err(self.error(at, GltfProblem::Beyond { whole, needs, has }))
    }

    fn accessor(&self, accessor: usize) -> Result<&Accessor, GltfError> {
        let accessors = &self.root.accessors;
        let at = || format!("accessors[{accessor}]");
        let index = self.index(at, "accessor", accessor, accessors.len())?;
        Ok(&accessors[index])
    }

    fn expect_type(
        &self,
        it: &Accessor,
        kinds: &[Type],
        at: impl Fn() -> String,
    ) -> Result<usize, GltfError> {
        match it.type_ {
            Checked::Valid(kind) if kinds.contains(&kind) => Ok(kind.multiplicity()),
            Checked::Valid(kind) => Err(self.error(
                at(),
                expected(&format!("{:?}", kinds[0]), format!("{kind:?}")),
            )),
            Checked::Invalid => Err(self.error(
                at(),
                expected(&format!("{:?}", kinds[0]), "another type".into()),
            )),
        }
    }

    fn component(
        &self,
        it: &Accessor,
        at: impl Fn() -> String,
    ) -> Result<ComponentType, GltfError> {
        match it.component_type {
            Checked::Valid(component) => Ok(component.0),
            Checked::Invalid => {
                Err(self.error(at(), expected("a known component type", "another".into())))
            }
        }
    }

    /// Number of elements, once the memory they take is counted.
    fn reserve(
        &self,
        it: &Accessor,
        width: usize,
        at: impl Fn() -> String,
    ) -> Result<usize, GltfError> {
        let count = it.count.0;
        // Counted before anything is allocated: a small file can name a
        // count of billions.
        self.spend(&at(), count.saturating_mul(4 * width as u64))?;
        Ok(count as usize)
    }

    fn collect<T: Copy + Default>(
        &self,
        it: &Accessor,
        width: usize,
        count: usize,
        at: impl Fn() -> String,
        read: impl Fn(&Elements<'_>, usize, usize) -> T,
    ) -> Result<Vec<T>, GltfError> {
        let mut values = Vec::new();
        match it.buffer_view {
            // Without a view all is zero, for sparse values to replace.
            None => values.resize(count * width, T::default()),
            Some(view) => {
                let offset = it.byte_offset.map_or(0, |it| it.0);
                let elements =
                    self.elements(it, view.value(), offset, (count, width), true, &at)?;
                values.reserve_exact(count * width);
                for element in 0..count {
                    values.extend((0..width).map(|component| read(&elements, element, component)));
                }
            }
        }
        if let Some(sparse) = &it.sparse {
            self.replace_sparse(it, sparse, width, &mut values, &at, read)?;
        }
        Ok(values)
    }

    fn replace_sparse<T: Copy>(
        &self,
        it: &Accessor,
        sparse: &Sparse,
        width: usize,
        values: &mut [T],
        at: &impl Fn() -> String,
        read: impl Fn(&Elements<'_>, usize, usize) -> T,
    ) -> Result<(), GltfError> {
        let count = values.len() / width;
        let changed = sparse.count.0;
        // Indices must rise strictly, says the format, so there cannot be
        // more of them than elements.
        if changed > count as u64 {
            let problem =
                GltfProblem::Other(format!("{changed} sparse values replace {count} elements"));
            return Err(self.error(at(), problem));
        }
        let changed = changed as usize;
        let targets = self.sparse_targets(sparse, changed, count, at)?;
        let (view, offset) = (
            sparse.values.buffer_view.value(),
            sparse.values.byte_offset.0,
        );
        let elements = self.elements(it, view, offset, (changed, width), false, at)?;
        for (element, target) in targets.into_iter().enumerate() {
            for component in 0..width {
                values[target * width + component] = read(&elements, element, component);
            }
        }
        Ok(())
    }

    fn sparse_targets(
        &self,
        sparse: &Sparse,
        changed: usize,
        count: usize,
        at: &impl Fn() -> String,
    ) -> Result<Vec<usize>, GltfError> {
        let Checked::Valid(component) = sparse.indices.component_type else {
            let problem = expected("unsigned sparse indices", "another type".into());
            return Err(self.error(at(), problem));
        };
        let component = component.0;
        let view = self.view(sparse.indices.buffer_view.value())?;
        let length = (changed * component.size()) as u64;
        let bytes = self.range(view, sparse.indices.byte_offset.0, length, || {
            (at(), "the view of its sparse indices".into())
        })?;
        let indices = Elements {
            bytes,
            stride: component.size(),
            component,
        };
        let target = |element| {
            let target = indices.integer(element, 0) as usize;
            self.index(at, "element", target, count)
        };
        (0..changed).map(target).collect()
    }

    fn elements<'a>(
        &'a self,
        it: &Accessor,
        view: usize,
        offset: u64,
        (count, width): (usize, usize),
        strided: bool,
        at: &impl Fn() -> String,
    ) -> Result<Elements<'a>, GltfError> {
        let component = self.component(it, at)?;
        let bytes = self.view(view)?;
        let size = width * component.size();
        // Sparse values are packed: a stride is for vertex attributes alone.
        let own = self.root.buffer_views[view].byte_stride.filter(|_| strided);
        let stride = own.map_or(size, |it| it.0);
        if stride < size {
            let problem = GltfProblem::Other(format!(
                "elements of {size} bytes overlap at a stride of {stride}"
            ));
            return Err(self.error(at(), problem));
        }
        let length = match count as u64 {
            0 => 0,
            // The last element need not be followed by the rest of its stride.
            count => (count - 1)
                .saturating_mul(stride as u64)
                .saturating_add(size as u64),
        };
        let bytes = self.range(bytes, offset, length, || {
            (at(), format!("buffer view {view}"))
        })?;
        Ok(Elements {
            bytes,
            stride,
            component,
        })
    }
}

fn expected(expected: &str, found: String) -> GltfProblem {
    GltfProblem::Expected {
        expected: expected.to_owned(),
        found,
    }
}
