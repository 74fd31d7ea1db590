//! From one value to another as splices of the text: what differs is found in
//! both values as `ron` writes them, and put where the file has it.

use super::{
    layout::{Gap, Splice, columns_before, indent_of, newline_of, removal},
    print::Spelt,
    tree::{Group, Item, Node, Shape},
};

/// Splices that turn a file which holds `old` into one that holds `new`, in
/// the order of the text.
#[must_use]
pub fn splices(file: Spelt<'_>, old: Spelt<'_>, new: Spelt<'_>) -> Vec<Splice> {
    let mut differ = Differ {
        text: file.text,
        splices: Vec::new(),
    };
    differ.value(file.node, old, new);
    in_order(differ.splices)
}

/// Removals of neighbours may reach into each other and become one.
fn in_order(mut splices: Vec<Splice>) -> Vec<Splice> {
    splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
    let mut ordered: Vec<Splice> = Vec::new();
    for splice in splices {
        match ordered.last_mut() {
            Some(last) if splice.range.start < last.range.end => {
                last.range.end = last.range.end.max(splice.range.end);
                last.with += &splice.with;
            }
            _ => ordered.push(splice),
        }
    }
    ordered
}

/// The text with the splices made.
#[must_use]
pub fn spliced(text: &str, splices: &[Splice]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut from = 0;
    for splice in splices {
        result += &text[from..splice.range.start];
        result += &splice.with;
        from = splice.range.end;
    }
    result + &text[from..]
}

struct Differ<'a> {
    text: &'a str,
    splices: Vec<Splice>,
}

/// An item as both values have it: what was there and what shall be.
enum Step {
    Keep(usize, usize),
    Remove(usize),
    Insert(usize),
}

impl Differ<'_> {
    fn value(&mut self, file: &Node, old: Spelt<'_>, new: Spelt<'_>) {
        if old.source() == new.source() {
            return;
        }
        let file = without_some(self.text, file);
        let groups = (&file.group, &old.node.group, &new.node.group);
        let (Some(own), Some(was), Some(is)) = groups else {
            return self.replace(file, new);
        };
        let same_name = old.text[was.name.clone()] == new.text[is.name.clone()];
        let same_shape = was.shape == is.shape && own.shape == was.shape;
        let counted = own.items.len() == was.items.len();
        match is.shape {
            _ if !same_name || !same_shape => self.replace(file, new),
            Shape::Struct | Shape::Map => self.fields(own, (old, was), (new, is)),
            Shape::List if counted => self.list(own, (old, was), (new, is)),
            Shape::Tuple if counted && was.items.len() == is.items.len() => {
                let items = own.items.iter().zip(&was.items).zip(&is.items);
                for ((own, was), is) in items {
                    self.value(&own.value, old.with(&was.value), new.with(&is.value));
                }
            }
            Shape::List | Shape::Tuple => self.replace(file, new),
        }
    }

    fn replace(&mut self, file: &Node, new: Spelt<'_>) {
        let at = file.span.start;
        let (indent, used) = (indent_of(self.text, at), columns_before(self.text, at));
        self.splices.push(Splice {
            range: file.span.clone(),
            with: new.print(indent, used, newline_of(self.text)),
        });
    }

    fn fields(
        &mut self,
        own: &Group,
        (old, was): (Spelt<'_>, &Group),
        (new, is): (Spelt<'_>, &Group),
    ) {
        let find = |group: &Group, text: &str, key: &str| {
            let named = |item: &Item| key_of(text, item).as_deref() == Some(key);
            group.items.iter().position(named)
        };
        let in_own = |key: &str| find(own, self.text, key);
        let (mut added, mut gone) = (Vec::new(), Vec::new());
        let mut changed = Vec::new();
        for item in &is.items {
            let Some(key) = key_of(new.text, item) else {
                continue;
            };
            let before = find(was, old.text, &key).map(|index| &was.items[index]);
            match (in_own(&key), before) {
                (Some(there), before) => changed.push((there, before, item)),
                (None, Some(before))
                    if old.with(&before.value).source() == new.with(&item.value).source() => {}
                (None, _) => added.push(item),
            }
        }
        for item in &was.items {
            let key = key_of(old.text, item).unwrap_or_default();
            if find(is, new.text, &key).is_none() {
                gone.extend(in_own(&key).map(|there| (there, item)));
            }
        }
        for (there, before, item) in changed {
            let (file, value) = (&own.items[there].value, new.with(&item.value));
            match before {
                Some(before) => self.value(file, old.with(&before.value), value),
                None => self.fill_default(without_some(self.text, file), value),
            }
        }
        self.renamed_or_moved(own, old, new, (added, gone));
    }

    /// A field that the file spells out at its default: empty brackets are
    /// filled, and keep the comments between them.
    fn fill_default(&mut self, file: &Node, new: Spelt<'_>) {
        let (Some(own), Some(is)) = (&file.group, &new.node.group) else {
            return self.replace(file, new);
        };
        if !own.items.is_empty() || own.shape != is.shape || !is_several(own.shape) {
            return self.replace(file, new);
        }
        let items: Vec<_> = is.items.iter().map(|item| (new, item)).collect();
        self.insert(own, None, &items, &[]);
    }

    /// A field that goes back to its default: brackets are emptied, and all
    /// else is left out.
    fn drop_to_default(&mut self, own: &Group, item: &Item) {
        match &item.value.group {
            Some(group) if own.shape == Shape::Struct && is_several(group.shape) => {
                group.items.iter().for_each(|item| self.remove(item));
            }
            _ => self.remove(item),
        }
    }

    /// A key that goes where one with the same value comes has another name.
    fn renamed_or_moved(
        &mut self,
        own: &Group,
        old: Spelt<'_>,
        new: Spelt<'_>,
        (mut added, mut gone): (Vec<&Item>, Vec<(usize, &Item)>),
    ) {
        if own.shape == Shape::Map {
            added.retain(|item| {
                let value = new.with(&item.value).source();
                let same = |(_, it): &(usize, &Item)| old.with(&it.value).source() == value;
                let (Some(found), Some(key)) = (gone.iter().position(same), &item.key) else {
                    return true;
                };
                let (there, _) = gone.remove(found);
                if let Some(range) = own.items[there].key.clone() {
                    let with = new.text[key.clone()].to_owned();
                    self.splices.push(Splice { range, with });
                }
                false
            });
        }
        for (there, _) in &gone {
            self.drop_to_default(own, &own.items[*there]);
        }
        let stays = |index: &usize| !gone.iter().any(|(there, _)| there == index);
        let anchor = (0..own.items.len()).rev().find(stays);
        let items: Vec<_> = added.iter().map(|item| (new, *item)).collect();
        self.insert(own, anchor, &items, &[]);
    }

    fn list(
        &mut self,
        own: &Group,
        (old, was): (Spelt<'_>, &Group),
        (new, is): (Spelt<'_>, &Group),
    ) {
        let steps = aligned((old, was), (new, is));
        let gone: Vec<usize> = steps.iter().filter_map(Step::removed).collect();
        // What comes as it went has moved, and keeps its own spelling.
        let moved = |index: usize| {
            let value = new.with(&is.items[index].value).source();
            let same = |it: &&usize| old.with(&was.items[**it].value).source() == value;
            let from = &own.items[*gone.iter().find(same)?].value;
            Some(self.text[from.span.clone()].to_owned())
        };
        let (mut anchor, mut waiting) = (None, Vec::new());
        let mut inserts = Vec::new();
        for step in &steps {
            match *step {
                Step::Insert(index) => waiting.push((index, moved(index))),
                Step::Remove(_) => {}
                Step::Keep(index, _) => {
                    inserts.push((anchor, std::mem::take(&mut waiting)));
                    anchor = Some(index);
                }
            }
        }
        inserts.push((anchor, waiting));
        for step in steps {
            match step {
                Step::Keep(before, after) => {
                    let (before_value, after_value) = (
                        old.with(&was.items[before].value),
                        new.with(&is.items[after].value),
                    );
                    self.value(&own.items[before].value, before_value, after_value);
                }
                Step::Remove(index) => self.remove(&own.items[index]),
                Step::Insert(_) => {}
            }
        }
        for (anchor, new_items) in inserts {
            let items: Vec<_> = new_items.iter().map(|it| (new, &is.items[it.0])).collect();
            let texts: Vec<_> = new_items.into_iter().map(|it| it.1).collect();
            self.insert(own, anchor, &items, &texts);
        }
    }

    fn remove(&mut self, item: &Item) {
        self.splices.push(Splice {
            range: removal(self.text, item),
            with: String::new(),
        });
    }

    /// Behind the item `anchor`, or at the front; `texts` are spellings to take
    /// as they are.
    fn insert(
        &mut self,
        own: &Group,
        anchor: Option<usize>,
        items: &[(Spelt<'_>, &Item)],
        texts: &[Option<String>],
    ) {
        if items.is_empty() {
            return;
        }
        let gap = match (anchor, own.items.first()) {
            (Some(index), _) => Gap::After(&own.items[index]),
            (None, Some(first)) => Gap::Front(own, first),
            (None, None) => Gap::Empty(own),
        };
        let (indent, used) = gap.indent(self.text);
        let newline = newline_of(self.text);
        let spelt = items.iter().enumerate().map(|(index, (new, item))| {
            if let Some(Some(text)) = texts.get(index) {
                return text.clone();
            }
            let key = item.key.clone();
            let key = key.map_or(String::new(), |key| format!("{}: ", &new.text[key]));
            let value = new.with(&item.value);
            key.clone() + &value.print(&indent, used + key.len() + 1, newline)
        });
        let spelt: Vec<String> = spelt.collect();
        self.splices.extend(gap.fill(self.text, &spelt));
    }
}

impl Step {
    fn removed(&self) -> Option<usize> {
        match self {
            Self::Remove(index) => Some(*index),
            _ => None,
        }
    }
}

fn is_several(shape: Shape) -> bool {
    matches!(shape, Shape::List | Shape::Map)
}

/// `Some(value)` may be written or not.
fn without_some<'a>(text: &str, node: &'a Node) -> &'a Node {
    match &node.group {
        Some(group) if &text[group.name.clone()] == "Some" && group.items.len() == 1 => {
            &group.items[0].value
        }
        _ => node,
    }
}

/// A field's name, or a key as it is meant: strings may be spelt in many ways.
fn key_of(text: &str, item: &Item) -> Option<String> {
    let key = &text[item.key.clone()?];
    let plain = key.strip_prefix("r#").filter(|it| !it.starts_with('"'));
    let meant = ron::from_str::<String>(key).ok();
    Some(meant.unwrap_or_else(|| plain.unwrap_or(key).to_owned()))
}

/// The cheapest way from one list to the other. What begins and ends alike is
/// kept without asking: an edit changes little, and the table stays small.
fn aligned((old, was): (Spelt<'_>, &Group), (new, is): (Spelt<'_>, &Group)) -> Vec<Step> {
    let sources = |spelt: Spelt<'_>, group: &Group| -> Vec<String> {
        let items = group.items.iter();
        items
            .map(|it| spelt.with(&it.value).source().to_owned())
            .collect()
    };
    let (before, after) = (sources(old, was), sources(new, is));
    let alike = |pair: &(&String, &String)| pair.0 == pair.1;
    let start = before.iter().zip(&after).take_while(alike).count();
    let rest = (&before[start..], &after[start..]);
    let end = rest.0.iter().rev().zip(rest.1.iter().rev());
    let end = end.take_while(alike).count();
    let (rows, columns) = (rest.0.len() - end, rest.1.len() - end);
    let price = |row: usize, column: usize| {
        let before = old.with(&was.items[start + row].value);
        change_price(before, new.with(&is.items[start + column].value))
    };
    let mut steps: Vec<Step> = (0..start).map(|it| Step::Keep(it, it)).collect();
    let between = match rows.saturating_mul(columns) > LARGEST_TABLE {
        true => in_turn(rows, columns),
        false => cheapest(rows, columns, &price),
    };
    steps.extend(between.into_iter().map(|step| match step {
        Step::Keep(row, column) => Step::Keep(start + row, start + column),
        Step::Remove(row) => Step::Remove(start + row),
        Step::Insert(column) => Step::Insert(start + column),
    }));
    let tail = (0..end).map(|it| Step::Keep(start + rows + it, start + columns + it));
    steps.extend(tail);
    steps
}

/// Cells beyond which lists are compared place by place.
const LARGEST_TABLE: usize = 250_000;

fn in_turn(rows: usize, columns: usize) -> Vec<Step> {
    let shared = rows.min(columns);
    let kept = (0..shared).map(|it| Step::Keep(it, it));
    let gone = (shared..rows).map(Step::Remove);
    let come = (shared..columns).map(Step::Insert);
    kept.chain(gone).chain(come).collect()
}

fn cheapest(rows: usize, columns: usize, price: &impl Fn(usize, usize) -> u32) -> Vec<Step> {
    // cost[row][column]: from the items behind `row` to those behind `column`.
    let mut cost = vec![vec![0_u32; columns + 1]; rows + 1];
    for row in (0..=rows).rev() {
        for column in (0..=columns).rev() {
            let gone = (row < rows).then(|| cost[row + 1][column] + ONE);
            let come = (column < columns).then(|| cost[row][column + 1] + ONE);
            let both = row < rows && column < columns;
            let kept = both.then(|| cost[row + 1][column + 1] + price(row, column));
            let least = [gone, come, kept].into_iter().flatten().min();
            cost[row][column] = least.unwrap_or(0);
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut steps = Vec::new();
    while row < rows || column < columns {
        let left = cost[row][column];
        let both = row < rows && column < columns;
        if both && cost[row + 1][column + 1] + price(row, column) == left {
            steps.push(Step::Keep(row, column));
            (row, column) = (row + 1, column + 1);
        } else if row < rows && cost[row + 1][column] + ONE == left {
            steps.push(Step::Remove(row));
            row += 1;
        } else {
            steps.push(Step::Insert(column));
            column += 1;
        }
    }
    steps
}

/// Price of an item that comes or goes.
const ONE: u32 = 10;

/// Nothing for the same, less for what has something in common than for
/// strangers; never as much as taking one out and putting one in.
fn change_price(old: Spelt<'_>, new: Spelt<'_>) -> u32 {
    if old.source() == new.source() {
        return 0;
    }
    let (Some(was), Some(is)) = (&old.node.group, &new.node.group) else {
        return ONE + 5;
    };
    let of_new: Vec<&str> = is
        .items
        .iter()
        .map(|item| &new.text[item.start()..item.value.span.end])
        .collect();
    let shared = was.items.iter().filter(|item| {
        let item = &old.text[item.start()..item.value.span.end];
        of_new.contains(&item)
    });
    let most = was.items.len().max(is.items.len()).max(1);
    ONE + 9 - (9 * shared.count() / most) as u32
}
