//! Iterations, by the macros they were written as: no accumulator is copied, and costs are those of cel-go's folds.

use super::Evaluation;
use super::locals::Local;
use super::logic::Truth;
use crate::error::{Error, Kind, Outcome};
use crate::program::no_overload_of;
use crate::program::{Fold, FoldKind, Node};
use crate::value::{ListRef, Map, MapRef, Turns, Value, go_type};

/// What is iterated.
struct Range<'r, 'v> {
    of: Elements<'r, 'v>,
    /// In which order they come.
    turns: Turns,
}

#[derive(Clone, Copy)]
enum Elements<'r, 'v> {
    List(ListRef<'r, 'v>),
    Map(MapRef<'r, 'v>),
}

/// What an element contributes.
type Step<'v> = Result<Option<Value<'v>>, Box<Error>>;

// What cel-go's folds cost beside the parts that were written: the condition asked before each element, the accumulator
// read in the step, and the result read at the end.
const ALL_CONDITION: u64 = 2;
const EXISTS_CONDITION: u64 = 3;
const ACCUMULATOR: u64 = 1;
/// `@result + [element]`: the accumulator, the list, the sum.
const APPEND: u64 = ACCUMULATOR + crate::cost::LIST + 1;
/// `@result + [constant]`: the accumulator, the sum.
const APPEND_CONSTANT: u64 = ACCUMULATOR + 1;
/// `@result + 1`.
const INCREMENT: u64 = ACCUMULATOR + 1;
/// `cel.@mapInsert(@result, key, value)`: the accumulator, the key, the call.
const INSERT: u64 = ACCUMULATOR + 2;
/// `cel.@mapInsert(@result, entries)`.
const MERGE: u64 = ACCUMULATOR + 1;

impl<'a, 'v: 'a> Evaluation<'a, 'v> {
    /// `cel.bind`: the value is evaluated when it is first asked for.
    pub(super) fn bind(&mut self, slot: u16, value: u32, body: u32) -> Outcome<'v> {
        self.locals.set(slot, Local::Pending(value));
        self.eval(body)
    }

    pub(super) fn fold(&mut self, at: u32, fold: u32) -> Outcome<'v> {
        let program = self.program;
        let Some(fold) = program.folds.get(fold as usize) else { return Err(Error::no_overload()) };
        let range = self.eval(fold.range)?;
        let range = iterable(fold, &range)?;
        if matches!(fold.kind, FoldKind::Filter | FoldKind::Map) {
            self.collect(at, fold, &range)
        } else {
            self.transform(at, fold, &range)
        }
    }

    pub(super) fn quantified(&mut self, at: u32, fold: u32) -> Truth {
        let program = self.program;
        let Some(fold) = program.folds.get(fold as usize) else { return Truth::Failed(Error::no_overload()) };
        let value = self.eval(fold.range);
        let Ok(range) = &value else { return Truth::of(value) };
        let range = match iterable(fold, range) {
            Ok(range) => range,
            Err(error) => return Truth::Failed(error),
        };
        match fold.kind {
            FoldKind::All => self.quantify(at, fold, &range, false),
            FoldKind::Exists => self.quantify(at, fold, &range, true),
            _ => self.exists_one(at, fold, &range),
        }
        .into()
    }

    /// Sets the variables to an element; whether there is one.
    fn turn_to(
        &mut self,
        at: u32,
        fold: &Fold,
        range: &Range<'_, 'v>,
        element: usize,
    ) -> Result<bool, Box<Error>> {
        self.check_limits()?;
        let element = range.place(element);
        let at_element = || Value::Int(i64::try_from(element).unwrap_or(i64::MAX));
        let (first, second) = match range.of {
            Elements::List(list) => match (fold.var2, local(list, element)) {
                (None, value) => (value, None),
                (Some(_), value) => (Some(Local::Value(at_element())), value),
            },
            Elements::Map(MapRef::Json(map, numbers)) => {
                map.at(element).map_or((None, None), |(key, value)| {
                    (Some(Local::Value(Value::Str(key))), Some(Local::Json(value, numbers)))
                })
            }
            Elements::Map(MapRef::Made(map)) => map.at(element).map_or((None, None), |(key, value)| {
                (Some(Local::Value(key.clone())), Some(Local::Value(value.clone())))
            }),
        };
        let Some(first) = first else { return Ok(false) };
        self.locals.set(fold.var, first);
        if let Some(var) = fold.var2 {
            let Some(second) = second else { return Ok(false) };
            self.locals.set(var, second);
        }
        if let Some(trace) = &mut self.trace
            && let Some(place) = self.program.places.get(at as usize)
        {
            trace.element(*place, element);
        }
        Ok(true)
    }

    fn quantify(
        &mut self,
        at: u32,
        fold: &Fold,
        range: &Range<'_, 'v>,
        decides: bool,
    ) -> Result<bool, Box<Error>> {
        let condition = if decides { EXISTS_CONDITION } else { ALL_CONDITION };
        let mut failed: Option<Box<Error>> = None;
        let count = range.len();
        let in_document = match range.of {
            Elements::List(ListRef::Json(list, numbers)) if fold.var2.is_none() && self.trace.is_none() => {
                Some((list, numbers))
            }
            _ => None,
        };
        for element in 0..count {
            if let Some((list, numbers)) = in_document {
                self.check_limits()?;
                self.locals.set(
                    fold.var,
                    list.get(element).map_or(Local::Unset, |value| Local::Json(value, numbers)),
                );
            } else {
                self.turn_to(at, fold, range, element)?;
            }
            self.charge(condition + ACCUMULATOR);
            match (self.truth(fold.transform), decides) {
                (Truth::No, false) | (Truth::Yes, true) => {
                    self.decided(at, range.place(element));
                    // The condition is asked once more before the next element.
                    self.charge(if element + 1 < count { condition + ACCUMULATOR } else { ACCUMULATOR });
                    return Ok(decides);
                }
                (Truth::Failed(error), _) if error.is_final() => return Err(error),
                (Truth::Failed(error), _) => failed = failed.or(Some(error)),
                (Truth::No | Truth::Yes, _) => {}
            }
        }
        self.charge(ACCUMULATOR);
        failed.map_or(Ok(!decides), Err)
    }

    /// A predicate; with a value that is not a bool, an error.
    fn holds(&mut self, predicate: u32) -> Result<bool, Box<Error>> {
        match self.truth(predicate) {
            Truth::No => Ok(false),
            Truth::Yes => Ok(true),
            Truth::Failed(error) => Err(error),
        }
    }

    // cel-go: the step is `predicate ? @result + 1 : @result`: of several failing predicates the last error stays.
    fn exists_one(&mut self, at: u32, fold: &Fold, range: &Range<'_, 'v>) -> Result<bool, Box<Error>> {
        let mut found = 0_usize;
        let mut failed = None;
        for element in 0..range.len() {
            self.turn_to(at, fold, range, element)?;
            match self.holds(fold.transform) {
                Ok(true) => {
                    self.charge(INCREMENT);
                    found += 1;
                    if found == 2 {
                        self.decided(at, range.place(element));
                    }
                }
                Ok(false) => {}
                Err(error) if error.is_final() => return Err(error),
                Err(error) => failed = Some(error),
            }
        }
        self.charge(if failed.is_some() { ACCUMULATOR } else { INCREMENT });
        failed.map_or(Ok(found == 1), Err)
    }

    /// `map` and `filter`. After an error predicates go on being asked, as in cel-go, whose last error stays.
    fn collect(&mut self, at: u32, fold: &Fold, range: &Range<'_, 'v>) -> Outcome<'v> {
        let is_filter = fold.kind == FoldKind::Filter;
        let predicate = if is_filter { Some(fold.transform) } else { fold.predicate };
        let mut made = Vec::new();
        let mut failed = None;
        if !is_filter && fold.predicate.is_none() {
            self.host.charge(range.len() * size_of::<Value<'_>>())?;
            made.reserve(range.len());
        }
        for element in 0..range.len() {
            self.turn_to(at, fold, range, element)?;
            match self.element(fold, predicate, is_filter, failed.is_some()) {
                Ok(Some(value)) => made.push(value),
                Ok(None) => {}
                Err(error) if error.is_final() => return Err(error),
                Err(error) => failed = Some(error),
            }
        }
        self.charge(ACCUMULATOR);
        failed.map_or_else(|| Ok(Value::list(made)), Err)
    }

    fn element(
        &mut self,
        fold: &Fold,
        predicate: Option<u32>,
        is_filter: bool,
        has_failed: bool,
    ) -> Step<'v> {
        if let Some(predicate) = predicate
            && !self.holds(predicate)?
        {
            return Ok(None);
        }
        if has_failed {
            self.charge(ACCUMULATOR);
            return Ok(None);
        }
        // A list of a constant is a constant, which costs nothing.
        let is_constant = matches!(self.program.nodes.get(fold.transform as usize), Some(Node::Const(_)));
        self.charge(if is_constant && !is_filter { APPEND_CONSTANT } else { APPEND });
        if is_filter {
            self.host.charge(size_of::<Value<'_>>())?;
            // The element is read as a variable.
            self.charge(1);
            return self.local(fold.var2.unwrap_or(fold.var)).map(Some);
        }
        self.eval(fold.transform).map(Some)
    }

    fn transform(&mut self, at: u32, fold: &Fold, range: &Range<'_, 'v>) -> Outcome<'v> {
        let mut made = Map::default();
        let mut failed = None;
        for element in 0..range.len() {
            self.turn_to(at, fold, range, element)?;
            match self.entry(fold, &mut made, failed.is_some()) {
                Ok(()) => {}
                Err(error) if error.is_final() => return Err(error),
                Err(error) => failed = Some(error),
            }
        }
        self.charge(ACCUMULATOR);
        failed.map_or_else(|| Ok(Value::map(made)), Err)
    }

    fn entry(&mut self, fold: &Fold, made: &mut Map<'v>, has_failed: bool) -> Result<(), Box<Error>> {
        if let Some(predicate) = fold.predicate
            && !self.holds(predicate)?
        {
            return Ok(());
        }
        if has_failed {
            self.charge(ACCUMULATOR);
            return Ok(());
        }
        if fold.kind == FoldKind::TransformMap {
            self.charge(INSERT);
            let key = self.local(fold.var)?;
            let value = self.eval(fold.transform)?;
            return insert(made, key, value);
        }
        self.charge(MERGE);
        let entries = self.eval(fold.transform)?;
        let Some(entries) = entries.as_map() else {
            let made = Value::map(std::mem::take(made));
            return Err(no_overload_of(crate::operators::MAP_INSERT, &[made, entries]));
        };
        entries.iter().try_for_each(|(key, value)| insert(made, key, value))
    }
}

/// An element of a list as a variable.
fn local<'v>(list: ListRef<'_, 'v>, element: usize) -> Option<Local<'v>> {
    match list {
        ListRef::Json(list, numbers) => list.get(element).map(|value| Local::Json(value, numbers)),
        ListRef::Made(list) => list.get(element).map(|value| Local::Value(value.clone())),
    }
}

impl Range<'_, '_> {
    fn len(&self) -> usize {
        match self.of {
            Elements::List(list) => list.len(),
            Elements::Map(map) => map.len(),
        }
    }

    /// Where the element lies that comes at this time.
    fn place(&self, element: usize) -> usize {
        self.turns.place(element)
    }
}

fn insert<'v>(made: &mut Map<'v>, key: Value<'v>, value: Value<'v>) -> Result<(), Box<Error>> {
    if made.get(&key).is_some() {
        return Err(Error::text(format!("insert failed: key {key} already exists")));
    }
    made.insert(key, value);
    Ok(())
}

fn iterable<'r, 'v>(fold: &Fold, value: &'r Value<'v>) -> Result<Range<'r, 'v>, Box<Error>> {
    match (value.as_list(), value.as_map()) {
        (Some(list), _) => Ok(Range { of: Elements::List(list), turns: Turns::Written }),
        (_, Some(map)) => Ok(Range { of: Elements::Map(map), turns: map.turns() }),
        _ => Err(not_iterable(fold, value)),
    }
}

// cel-go: interpretable.go evalFold.
fn not_iterable(fold: &Fold, value: &Value<'_>) -> Box<Error> {
    let of = go_type(value);
    let text = if fold.var2.is_some() {
        format!("unsupported comprehension range type: {of}")
    } else {
        format!("got '{of}', expected iterable type")
    };
    Error::new(Kind::Text(text.into()))
}
