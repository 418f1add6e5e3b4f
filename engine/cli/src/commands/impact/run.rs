//! Objects evaluated by both sides, on all cores.
//!
//! In: the arguments, and the policies of both sides. Out: a [`Report`] with all rows. Objects are read, evaluated and forgotten piece by piece where no
//! policy looks at others.

use super::read::Given;
use super::report::{Report, Side};
use crate::args::Impact;
use crate::clock;
use crate::commands::apply::beside;
use crate::commands::inputs::{self, Input, Loaded};
use crate::exit::Failure;
use crate::files::{self, Text};
use crate::parallel;
use crate::print::diagnostics;
use crate::report::problems::{Problem, is_complete, problems};
use crate::terminal::{self, plural};
use engine::Bundle;
use engine::diag::{Code, Diagnostic, Severity};
use engine::load::Role;
use engine::resource::{DocumentId, Resource};
use engine::yaml::{Source, Span};
use engine_impact::{
    Counts, Judge, Judged, Object, Owner, Row, Rules, Sides, Tables, Twice, Undecided, afterwards, collapse,
};
use engine_lenses::origin::Origin;
use engine_lenses::run::Positions;
use std::collections::{BTreeMap, BTreeSet};

/// More rows are counted, not kept.
const MAX_ROWS: usize = 100_000;
/// A part of the objects keeps so many rows at least.
const MIN_SHARE: usize = 200;
/// How many objects one thread takes at once.
const AT_ONCE: usize = 128;

/// What a part of the objects came to.
#[derive(Default)]
struct Part {
    objects: usize,
    rows: Vec<Row>,
    counts: Counts,
    lost: usize,
    undecided: BTreeMap<Undecided, usize>,
    spoke: BTreeSet<usize>,
    diagnostics: Vec<Diagnostic>,
}

impl Part {
    fn take(
        &mut self,
        room: usize,
        judged: Judged,
        resource: &Resource,
        place: impl Fn() -> (Option<Span>, Origin),
    ) {
        judged.undecided.into_iter().for_each(|one| *self.undecided.entry(one).or_default() += 1);
        self.spoke.extend(judged.spoke);
        for change in judged.changes {
            self.counts.count(change.class);
            if self.rows.len() >= room {
                self.lost += 1;
                continue;
            }
            let (span, origin) = place();
            let (object, owner) = (Object::of(resource), Owner::of(resource));
            self.rows.push(Row { object, owner, span, origin, change });
        }
    }

    fn join(&mut self, other: Part) {
        self.objects += other.objects;
        self.lost += other.lost;
        self.counts.add(&other.counts);
        self.rows.extend(other.rows);
        other.undecided.into_iter().for_each(|(one, count)| *self.undecided.entry(one).or_default() += count);
        self.spoke.extend(other.spoke);
        self.diagnostics.extend(other.diagnostics);
    }
}

/// Evaluates everything.
pub(super) fn run(arguments: &Impact, given: [Given; 2]) -> Result<Report, Failure> {
    let shared = shared(arguments)?;
    let objects = objects(arguments)?;
    let twice = if arguments.all { Twice::All } else { Twice::Changed };
    let [old, new] = &given;
    // A side without the objects first: they are read once where each can be evaluated by itself.
    let loaded = [load(arguments, &shared, old, &[])?, load(arguments, &shared, new, &[])?];
    let [(old_bundle, old_said), (new_bundle, new_said)] = loaded;
    let mut sides = Sides::new([old_bundle, new_bundle], twice);
    let asks_all = objects.iter().any(|text| text.text.contains("GlobalContextEntry"));
    let mut said = [old_said, new_said];
    let sources;
    let mut part = if sides.is_independent() && !asks_all && !arguments.asked.is_given() {
        sources = with_objects(sides.bundles(), objects);
        apart(arguments, &sides, &sources)
    } else {
        drop(sides);
        let [(old, old_said), (new, new_said)] =
            [load(arguments, &shared, old, &objects)?, load(arguments, &shared, new, &objects)?];
        said = [old_said, new_said];
        sides = Sides::new([old, new], twice);
        sources = Bundle { sources: sides.bundles()[1].sources.clone(), ..Bundle::default() };
        together(&sides)
    };
    let diagnostics = std::mem::take(&mut part.diagnostics);
    let problems = say(&given, &sides, &sources, said, &diagnostics);
    let [old, new] = given.map(|side| Side { name: side.name, commit: side.commit });
    let is_complete = is_complete(&problems) && part.undecided.is_empty();
    let groups = collapse(&part.rows);
    Ok(Report {
        name: arguments.name.clone(),
        limit: if arguments.limit == 0 { usize::MAX } else { arguments.limit },
        has_quiet: arguments.all_changes,
        shows_secrets: arguments.show_secrets,
        followed: arguments.by.followed_in_cluster(),
        extension: arguments.by.extension(),
        objects: part.objects,
        groups,
        rows: part.rows,
        counts: part.counts,
        lost: part.lost,
        undecided: part.undecided.into_iter().collect(),
        spoke: part.spoke,
        details: BTreeMap::new(),
        constructed: Vec::new(),
        sources,
        problems,
        is_complete,
        sides,
        old,
        new,
    })
}

/// What counts for both sides.
fn shared(arguments: &Impact) -> Result<Vec<Input>, Failure> {
    let one = |path: &Option<String>| path.iter().cloned().collect::<Vec<_>>();
    let opened = |paths: &[String]| {
        let found = files::opened(paths);
        found.lost.into_iter().next().map_or(Ok(found.paths), |lost| Err(inputs::failure(&lost)))
    };
    let groups = [
        (Role::UserInfo, one(&arguments.userinfo)),
        (Role::Values, one(&arguments.values_file)),
        (Role::CustomResourceDefinitions, arguments.crd_paths.clone()),
        (Role::ImageData, arguments.image_data.clone()),
        (Role::ClusterResources, opened(&arguments.target_resource)?),
        (Role::Parameters, opened(&arguments.parameter_resource)?),
        (Role::Exceptions, arguments.exception.clone()),
    ];
    let mut all = Vec::new();
    for (role, paths) in groups {
        let (texts, lost) = inputs::read(role, &paths);
        if let Some(lost) = lost.first() {
            return Err(inputs::failure(lost));
        }
        all.extend(texts);
    }
    Ok(all)
}

fn objects(arguments: &Impact) -> Result<Vec<Text>, Failure> {
    let found = files::opened(&arguments.resource);
    let (texts, unread) = inputs::read(Role::Opened, &found.paths);
    if let Some(lost) = found.lost.iter().chain(&unread).next() {
        return Err(inputs::failure(lost));
    }
    if texts.is_empty() {
        return Err(Failure(
            "there is no object: the paths of -r hold no file that ends in .yaml, .yml or .json".to_owned(),
        ));
    }
    Ok(texts.into_iter().map(|input| input.text).collect())
}

/// Loads a side. What lies beside policies in a folder, and is none, is no error.
fn load(
    arguments: &Impact,
    shared: &[Input],
    side: &Given,
    objects: &[Text],
) -> Result<(Bundle, Vec<Diagnostic>), Failure> {
    let input = |role: Role| move |text: &Text| Input { role, text: text.clone() };
    let all: Vec<Input> = side
        .texts
        .iter()
        .map(input(Role::Policies))
        .chain(shared.iter().cloned())
        .chain(objects.iter().map(input(Role::Opened)))
        .collect();
    // Values and user info come first: what follows is read with them.
    let (first, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(|input| {
        matches!(input.role, Role::UserInfo | Role::Values | Role::CustomResourceDefinitions)
    });
    let found = first.len()..first.len() + side.texts.len();
    let sources = inputs::sources(first.into_iter().chain(rest).collect());
    let (followed, extension) = (arguments.by.followed_in_cluster(), arguments.by.extension());
    let (mut bundle, mut said) =
        inputs::load_changed(sources, followed, extension, |(role, source), parsed| {
            if *role == Role::Opened { inputs::with_open_lists(source, parsed) } else { parsed }
        });
    beside::settle(&bundle, &[found], &mut said);
    inputs::settle_asked(&arguments.asked, &mut bundle)?;
    Ok((bundle, said))
}

/// The texts of the new side with those of the objects behind them.
fn with_objects([_, new]: &[Bundle; 2], objects: Vec<Text>) -> Bundle {
    let mut bundle = Bundle { sources: new.sources.clone(), ..Bundle::default() };
    for text in objects {
        let id = engine::yaml::SourceId(u32::try_from(bundle.sources.len()).unwrap_or(u32::MAX));
        let source = Source { id, name: text.name, text: text.text.into() };
        bundle.sources.push((Role::Opened, source));
    }
    bundle
}

/// Reads, evaluates and forgets the objects piece by piece.
fn apart(arguments: &Impact, sides: &Sides, sources: &Bundle) -> Part {
    let pieces = inputs::resource_pieces(sources);
    let (tables, rules) = (Tables::of(sides), Rules::of(sides));
    let now = clock::now();
    let share = (MAX_ROWS / pieces.len().max(1)).max(MIN_SHARE);
    let parts = parallel::map_by_worker(&pieces, |mine, done| {
        let world = crate::world::at(now);
        let judge = Judge::new(sides, &tables, &world, &rules);
        for (at, piece) in mine {
            let Loaded { bundle, diagnostics } =
                inputs::load_piece(piece, arguments.by.followed_in_cluster(), arguments.by.extension());
            let mut part = Part { objects: bundle.resources.len(), diagnostics, ..Part::default() };
            for (resource, judged) in judge.judge(&bundle.resources) {
                let place = || {
                    let span = span(&bundle, resource.document).map(|span| piece.moved(span));
                    (span, Origin::of(&bundle, resource))
                };
                part.take(share, judged, resource, place);
            }
            done.push((at, part));
        }
    });
    joined(parts)
}

/// Evaluates the objects of the bundles.
fn together(sides: &Sides) -> Part {
    let [_, new] = sides.bundles();
    let total = new.resources.len();
    let ranges: Vec<_> =
        (0..total).step_by(AT_ONCE).map(|start| start..(start + AT_ONCE).min(total)).collect();
    let (tables, rules) = (Tables::of(sides), Rules::of(sides));
    let now = clock::now();
    let share = (MAX_ROWS / ranges.len().max(1)).max(MIN_SHARE);
    let place = |resource: &Resource| (span(new, resource.document), Origin::of(new, resource));
    let parts = parallel::map_by_worker(&ranges, |mine, done| {
        let world = crate::world::at(now);
        let judge = Judge::new(sides, &tables, &world, &rules);
        for (at, range) in mine {
            let mut part = Part { objects: range.len(), ..Part::default() };
            let resources = new.resources.get(range.clone()).unwrap_or_default();
            for (resource, judged) in judge.judge(resources) {
                part.take(share, judged, resource, || place(resource));
            }
            done.push((at, part));
        }
    });
    let mut all = joined(parts);
    for (at, judged) in afterwards(sides, &crate::world::at(now)) {
        let Some(resource) = new.resources.get(at) else { continue };
        all.take(MAX_ROWS, judged, resource, || place(resource));
    }
    all
}

fn joined(parts: Vec<Part>) -> Part {
    let mut all = Part::default();
    for part in parts {
        all.join(part);
    }
    all.lost += all.rows.len().saturating_sub(MAX_ROWS);
    all.rows.truncate(MAX_ROWS);
    all
}

fn span(bundle: &Bundle, document: DocumentId) -> Option<Span> {
    bundle.document(document).map(|document| document.span)
}

/// Says what is wrong with the texts: of the old side what the new one does not have as well.
fn say(
    given: &[Given; 2],
    sides: &Sides,
    sources: &Bundle,
    said: [Vec<Diagnostic>; 2],
    of_objects: &[Diagnostic],
) -> Vec<Problem> {
    let [old, new] = sides.bundles();
    let [mut old_said, new_said] = said;
    old_said.retain(|said| {
        !new_said.iter().any(|other| (said.code, &said.message) == (other.code, &other.message))
    });
    let is_beside = |said: &&Diagnostic| {
        said.severity == Severity::Warning && matches!(said.code, Code::UnknownKind | Code::NoKind)
    };
    let mut beside = 0;
    for (bundle, said) in [(new, &new_said), (old, &old_said)] {
        let (none, other): (Vec<&Diagnostic>, Vec<_>) = said.iter().partition(is_beside);
        beside = beside.max(none.len());
        diagnostics::print(bundle, &other.into_iter().cloned().collect::<Vec<_>>());
    }
    diagnostics::print(sources, of_objects);
    if beside > 0 {
        let documents = plural(beside, "document");
        terminal::say(&format!("note: {documents} beside the policies passed over: of other kinds\n"));
    }
    let mut all: Vec<Problem> = Vec::new();
    for side in given {
        for lost in &side.lost {
            terminal::say(&format!("error: {}: {lost}\n", side.name));
            let said = engine_lenses::wire::Diagnostic {
                code: "unreadable".to_owned(),
                severity: "error".to_owned(),
                message: format!("{}: {lost}", side.name),
                ..Default::default()
            };
            all.push(Problem { said, file: None });
        }
    }
    for (bundle, said) in [(new, new_said.as_slice()), (old, old_said.as_slice()), (sources, of_objects)] {
        all.extend(problems(&Positions::new(bundle), &[], said));
    }
    all
}
