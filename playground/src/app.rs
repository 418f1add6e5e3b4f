//! The root component: the reducer, and the effects that tie it to the worker, the address bar and the storage.
//!
//! In: what the address bar or the storage says when the page opens. Out: the whole page.

use std::rc::Rc;

use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::callback::Timeout;
use yew::{
    Callback, Html, Reducible, UseReducerHandle, component, html, use_effect_with, use_memo, use_mut_ref,
    use_reducer,
};

use crate::components::{notice, panels, problems, results, source_pane, splitter, toolbar, views};
use crate::slot::{Side, Slot};
use crate::state::{Action, Hint, Panel, Source, SpaceAction, State, Tab, View, Work};
use crate::texts::Texts;
use crate::worker::{Engine, Question, Reply};
use crate::{address, browser, files, link, samples, storage, words};

/// The state in the hands of Yew.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    pub(crate) state: Rc<State>,
}

impl Reducible for Store {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        Rc::new(Self { state: Rc::new(State::clone(&self.state).after(action)) })
    }
}

impl PartialEq for Store {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.state, &other.state)
    }
}

/// What every component gets: the state, and a way to say what happened.
pub(crate) type Handle = UseReducerHandle<Store>;

/// The page.
#[component]
pub(crate) fn App() -> Html {
    let store = use_reducer(|| Store { state: Rc::new(opening()) });
    use_engine(&store);
    use_storage(&store);
    use_spaces(&store);
    use_theme(&store);
    address::use_address(&store);
    use_address_bar(&store);
    use_keys(&store);
    use_files(&store);
    use_news(&store);
    let view = match store.state.view {
        View::Policies => "policies",
        View::Resources => "resources",
        View::Results => "results",
    };
    // What is evaluated while one reads a policy is evaluated on this one (`late/evaluate.js`).
    let resource = store.state.chosen.as_ref().map(|chosen| chosen.resource.clone());
    // As whom, too.
    let host = store.state.texts.host();
    // While *Why* is open it follows the cursor (`editor.js`).
    let follows = (store.state.open_result_tab() == Tab::Why).then_some("line");
    html! {
        <>
            <toolbar::Toolbar store={store.clone()} />
            <panels::Panels store={store.clone()} />
            <notice::Notice store={store.clone()} />
            <main class="columns" id="columns" data-view={view} data-resource={resource} data-host={host} data-follows={follows}>
                <source_pane::SourcePane store={store.clone()} side={Side::Policies} />
                <splitter::Splitter which={splitter::Which::First} />
                <source_pane::SourcePane store={store.clone()} side={Side::Resources} />
                <splitter::Splitter which={splitter::Which::Second} />
                <results::Results store={store.clone()} />
                <problems::Problems store={store.clone()} />
            </main>
            <results::brief::Brief store={store.clone()} />
            <views::Views store={store.clone()} />
        </>
    }
}

/// The state that the page opens with: a link, what was kept, or the newcomer's sample.
fn opening() -> State {
    let is_embedded = link::is_embedded();
    let mut state = match storage::kept().filter(|_| !is_embedded) {
        Some((work, touched, kept, space)) if !work.texts.is_empty() || work.source == Source::Own => {
            let mut state = State::new(work, touched, kept);
            state.spaces.open = space;
            state
        }
        _ => State::new(newcomers_work(), false, Vec::new()),
    };
    state.theme = storage::theme();
    if !is_embedded {
        state.spaces.all = storage::spaces();
    }
    let is_ours = address::is_ours() && !is_embedded;
    match link::from_address_bar() {
        // A reload: the storage has what was on the page, unless another tab of the browser has written there since.
        Some(Ok(_)) if is_ours && storage::entry() == address::number_here() => {}
        Some(Ok((work, _))) if is_ours => {
            state = state.after(Action::Restored(Work { source: Source::Own, ..work }, true));
        }
        Some(Ok((work, notes))) => state = state.after(Action::Opened(work, notes)),
        Some(Err(why)) => state.notes.push(words::open::unreadable(&why)),
        None => {}
    }
    state.keeps = is_embedded || storage::is_allowed();
    if !state.keeps {
        state.notes.push(words::texts::NOT_KEPT.to_owned());
    }
    if browser::is_narrow() {
        state.view = View::Results;
    }
    if is_embedded {
        browser::mark_embedded();
        state.is_embedded = true;
        state.hint = Hint::Hidden;
    }
    state
}

/// What a newcomer sees, and what a reset returns to.
pub(crate) fn newcomers_work() -> Work {
    let sample = samples::first();
    Work { texts: sample.texts(), source: Source::Sample { title: sample.title, about: sample.about } }
}

/// Asks the engine whenever the texts have changed; the first time before anything is drawn, so that it works
/// while the editors are made.
#[yew::hook]
fn use_engine(store: &Handle) {
    let dispatcher = store.dispatcher();
    let texts = &store.state.texts;
    // The steps cost time with each key, so they are asked for while they are looked at.
    let is_why = store.state.open_result_tab() == Tab::Why;
    let asked = use_mut_ref(|| (texts.clone(), is_why));
    let engine = use_memo((), |()| {
        let engine = Engine::new(&Callback::from(move |reply| {
            dispatcher.dispatch(match reply {
                Reply::Output(output, millis) => Action::Evaluated(output, millis),
                Reply::Psa(output) => Action::EvaluatedPsa(output),
                Reply::Report(output) => Action::Reported(Ok(output.text)),
                Reply::TestFolder(folder) => {
                    files::export_test(&folder.files);
                    Action::SavedTest(folder.notes)
                }
                Reply::Checked(output) => Action::Checked(output.diagnostics),
                // Without it the verdicts stand all the same.
                Reply::Failed(Question::CheckResources, _) => Action::Checked(Vec::new()),
                Reply::Failed(Question::TestFolder, why) => Action::SavedTest(vec![why]),
                Reply::Failed(Question::Report, why) => Action::Reported(Err(why)),
                Reply::Failed(Question::Apply | Question::Psa, why) => Action::Failed(why),
            });
        }));
        engine.apply(texts.input());
        engine
    });
    {
        let engine = engine.clone();
        use_effect_with((texts.clone(), is_why), move |(texts, is_why)| {
            let (before, was_why) = asked.replace((texts.clone(), *is_why));
            if !before.are_evaluated_alike(texts) || (*is_why && !was_why) {
                let input = if *is_why { texts.input_with_steps() } else { texts.input() };
                engine.apply(input);
            }
        });
    }
    use_check(store, &engine);
    {
        let (state, engine) = (Rc::clone(&store.state), engine.clone());
        use_effect_with(store.state.tests_wanted, move |wanted| {
            if *wanted > 0 {
                engine.ask(Question::TestFolder, &state.texts.input());
            }
        });
    }
    // What only a tab shows is asked while that tab is open.
    let state = Rc::clone(&store.state);
    {
        let (state, engine) = (Rc::clone(&state), engine.clone());
        let report = (state.open_result_tab() == Tab::Report).then(|| (texts.clone(), state.report.form));
        use_effect_with(report, move |report| {
            if report.is_some() {
                engine.ask(Question::Report, &state.report_input());
            }
        });
    }
    let psa = (state.open_result_tab() == Tab::PodSecurity)
        .then(|| (texts.clone(), state.psa.version.clone(), state.psa.as_written));
    use_effect_with(psa, move |psa| {
        if psa.is_some() {
            engine.ask(Question::Psa, &state.psa_input());
        }
    });
}

/// How long somebody has to rest before what no API server would take is looked for.
const CHECK_MILLIS: u32 = 700;

/// Asks for what no API server would take, a moment after the last key press. The whole engine is asked, which loads late: so
/// not before there is a text of the reader's own.
#[yew::hook]
fn use_check(store: &Handle, engine: &Engine) {
    let timer = use_mut_ref(|| None::<Timeout>);
    let engine = engine.clone();
    let is_own = store.state.touched || !matches!(store.state.source, Source::Sample { .. });
    use_effect_with((store.state.texts.clone(), is_own), move |(texts, is_own)| {
        let texts = texts.clone();
        let ask = move || engine.ask(Question::CheckResources, &texts.input());
        *timer.borrow_mut() = is_own.then(|| Timeout::new(CHECK_MILLIS, ask));
    });
}

/// Keeps the texts a moment after the last key press, and before the page goes away.
#[yew::hook]
fn use_storage(store: &Handle) {
    let timer = use_mut_ref(|| None::<Timeout>);
    let newest = use_mut_ref(|| Rc::clone(&store.state));
    *newest.borrow_mut() = Rc::clone(&store.state);
    let key = (store.state.texts.clone(), store.state.epoch, store.state.touched);
    let is_embedded = store.state.is_embedded;
    {
        let newest = Rc::clone(&newest);
        use_effect_with(key, move |_| {
            if is_embedded {
                return;
            }
            *timer.borrow_mut() = Some(Timeout::new(300, move || storage::keep(&newest.borrow())));
        });
    }
    use_effect_with((), move |()| {
        let listener = browser::window().filter(|_| !is_embedded);
        let listener = listener
            .map(|window| EventListener::new(&window, "pagehide", move |_| storage::keep(&newest.borrow())));
        move || drop(listener)
    });
}

/// Keeps the named workspaces, and hears when another tab of the browser has changed them.
#[yew::hook]
fn use_spaces(store: &Handle) {
    let dispatcher = store.dispatcher();
    let is_embedded = store.state.is_embedded;
    let kept = use_mut_ref(|| Rc::clone(&store.state.spaces.all));
    {
        let (dispatcher, kept) = (dispatcher.clone(), Rc::clone(&kept));
        use_effect_with(Rc::clone(&store.state.spaces.all), move |all| {
            let before = kept.replace(Rc::clone(all));
            if !is_embedded && before != *all && !storage::keep_spaces(all) {
                dispatcher.dispatch(Action::Space(SpaceAction::Refused));
            }
        });
    }
    use_effect_with((), move |()| {
        let listener = browser::window().filter(|_| !is_embedded);
        let listener = listener.map(|window| {
            EventListener::new(&window, "storage", move |event| {
                use wasm_bindgen::JsCast as _;
                let key = event.dyn_ref::<web_sys::StorageEvent>().and_then(web_sys::StorageEvent::key);
                if key.as_deref() == Some(storage::SPACES) {
                    let all = storage::spaces();
                    kept.replace(Rc::clone(&all));
                    dispatcher.dispatch(Action::Space(SpaceAction::Read(all)));
                }
            })
        });
        move || drop(listener)
    });
}

/// Shows and keeps the theme once another is chosen; the first was shown by boot.js.
#[yew::hook]
fn use_theme(store: &Handle) {
    let shown = use_mut_ref(|| store.state.theme);
    use_effect_with(store.state.theme, move |theme| {
        if shown.replace(*theme) != *theme {
            browser::show_theme(theme.map(crate::state::Theme::word));
            storage::keep_theme(*theme);
        }
    });
}

/// Opens a link that is put into the address bar while the page is open, and the sample that a link names.
#[yew::hook]
fn use_address_bar(store: &Handle) {
    let store = store.clone();
    // Read while the page is drawn: over kept work the address bar is emptied right after that.
    let named = use_memo((), |()| {
        let shown = match &store.state.source {
            Source::Sample { title, .. } => samples::titled(title).map(|entry| entry.id()),
            Source::Own | Source::Link => None,
        };
        link::library_in_address_bar().filter(|named| !address::is_ours() || shown.as_ref() != Some(named))
    });
    use_effect_with((), move |()| {
        let open_named = {
            let store = store.clone();
            move |named: Option<String>| {
                if let Some(policy) = named {
                    open_library(&store, &policy);
                }
            }
        };
        open_named(Option::clone(&named));
        let listener = browser::window().map(|window| {
            EventListener::new(&window, "hashchange", move |_| match link::from_address_bar() {
                // The reader goes through the history.
                _ if address::is_ours() => {}
                Some(Ok((work, notes))) => store.dispatch(Action::Opened(work, notes)),
                Some(Err(why)) => store.dispatch(Action::Noted(words::open::unreadable(&why))),
                None => open_named(link::library_in_address_bar()),
            })
        });
        move || drop(listener)
    });
}

/// Opens the sample of this page for a policy of Kyverno's library, or says where its text is; nothing is fetched from there.
pub(crate) fn open_library(store: &Handle, policy: &str) {
    let policy = policy.strip_suffix(".yaml").unwrap_or(policy);
    match samples::named(policy) {
        // By its name here, or by that of a policy elsewhere.
        Some(entry) if entry.id() == policy.trim_matches('/') => open_sample(store, entry, Vec::new()),
        Some(entry) => open_sample(store, entry, vec![words::library::found(policy)]),
        None => store.dispatch(Action::Noted(words::library::missing(policy, &link::library_path(policy)))),
    }
}

/// Opens a sample once its text has come; own work is put aside.
pub(crate) fn open_sample(store: &Handle, entry: samples::Entry, notes: Vec<String>) {
    let store = store.clone();
    entry.fetch(move |sample| {
        let Some(sample) = sample else {
            return store.dispatch(Action::Noted(words::library::UNREADABLE.to_owned()));
        };
        let (texts, view) = (sample.texts(), sample.view);
        let source = Source::Sample { title: sample.title, about: sample.about };
        store.dispatch(Action::Opened(Work { texts, source }, notes));
        store.dispatch(Action::ShowedResultTab(view));
    });
}

/// Says when a newer page is ready; boot.js hears it of the service worker.
#[yew::hook]
fn use_news(store: &Handle) {
    let dispatcher = store.dispatcher();
    use_effect_with((), move |()| {
        let listener = browser::window().map(|window| {
            EventListener::new(&window, "podsieve-news", move |_| {
                dispatcher.dispatch(Action::Noted(words::page::NEWS.to_owned()));
            })
        });
        move || drop(listener)
    });
}

/// Takes files that are dropped on the page.
#[yew::hook]
fn use_files(store: &Handle) {
    let newest = use_mut_ref(|| store.clone());
    *newest.borrow_mut() = store.clone();
    use_effect_with((), move |()| {
        files::on_drop(move |dropped| take_files(&newest.borrow().clone(), &dropped));
    });
}

/// Opens files; what the reader has typed is put aside.
pub(crate) fn take_files(store: &Handle, taken: &files::Taken) {
    if let Some(progress) = taken.progress() {
        return store.dispatch(Action::Noted(progress));
    }
    let (work, notes) = files::open(taken, &store.state.texts);
    store.dispatch(Action::Opened(work, notes));
}

/// Shows what a newcomer sees; what the reader has typed is put aside.
pub(crate) fn start_over(store: &Handle) {
    store.dispatch(Action::Opened(newcomers_work(), Vec::new()));
}

/// Shows empty texts; what the reader has typed is put aside.
pub(crate) fn start_anew(store: &Handle) {
    let work = Work { texts: Texts::default(), source: Source::Own };
    store.dispatch(Action::Opened(work, vec![words::notice::EMPTY.to_owned()]));
    store.dispatch(Action::Revealed(Slot::Policy, 0));
}

/// `?` opens the sheet of keys, Control or Command and K the commands. Escape closes a panel or list and gives the keyboard back to its button.
#[yew::hook]
fn use_keys(store: &Handle) {
    let store = store.clone();
    use_effect_with((store.state.panel, store.state.adding), move |(panel, adding)| {
        let (panel, is_embedded) = (*panel, store.state.is_embedded);
        let button = panel.map(Panel::button).or(adding.map(Side::adder));
        let listener = browser::document().map(|document| {
            let may_prevent = EventListenerOptions::enable_prevent_default();
            EventListener::new_with_options(&document, "keydown", may_prevent, move |event| {
                use wasm_bindgen::JsCast as _;
                let Some(event) = event.dyn_ref::<web_sys::KeyboardEvent>() else { return };
                let is_command =
                    event.ctrl_key() != event.meta_key() && !event.alt_key() && !event.shift_key();
                match (event.key().as_str(), button) {
                    // An editor on a Mac has a use of its own for Control and K.
                    ("k", _) if is_command && !event.default_prevented() && !is_embedded => {
                        event.prevent_default();
                        store.dispatch(Action::Toggled(Panel::Commands));
                    }
                    // What is on the page is saved as a link or a file.
                    ("s", _) if is_command && !is_embedded => {
                        event.prevent_default();
                        if panel != Some(Panel::Share) {
                            store.dispatch(Action::Toggled(Panel::Share));
                        }
                    }
                    // The palette gives the keyboard back to where it was.
                    ("Escape", _) if panel == Some(Panel::Commands) => {}
                    ("Escape", Some(button)) => {
                        store.dispatch(Action::Closed);
                        browser::focus(button);
                    }
                    ("/", None) if !browser::is_typing() && browser::by_id("results-search").is_some() => {
                        event.prevent_default();
                        browser::focus("results-search");
                    }
                    ("?", None) if !browser::is_typing() => store.dispatch(Action::Toggled(Panel::About)),
                    _ => {}
                }
            })
        });
        move || drop(listener)
    });
}
