//! `cargo run -p tests --bin cases -- 1000`: generated cases with the engine's answers, for other builds of the engine.
//!
//! In: how many; `cel` before it for questions about CEL, whose half are policies; `kubewarden` for payloads of the policy for Kubewarden. Out: a line of JSON for each case: the function
//! of the npm package that is asked, the text it is asked with, and the text that the engine answers here.
//! `tests/npm/{same,kubewarden}.test.mjs` hold the modules against them.
#![expect(clippy::print_stdout, reason = "a command line tool")]

use engine::json::{Map, Value, to_json};
use engine::world::StaticWorld;
use engine_celpolicy::expression::json;
use engine_kubewarden::{Guest, Nowhere, creating};
use engine_lenses::wire::{Input, Text};
use std::process::ExitCode;
use tests::generated::Generator;
use tests::generated::cel::Questions;
use tests::random::Choices;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let count = arguments.iter().find_map(|text| text.parse().ok()).unwrap_or(1_000);
    let is_about_cel = arguments.iter().any(|text| text == "cel");
    let is_for_kubewarden = arguments.iter().any(|text| text == "kubewarden");
    let printed = match (is_about_cel, is_for_kubewarden) {
        (true, _) => about_cel(count),
        (_, true) => payloads(count),
        _ => policies(count),
    };
    match printed {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn policies(count: u64) -> Result<(), String> {
    let generator = Generator::default();
    (0..count).try_for_each(|seed| {
        let input = generator.case(&mut Choices::new(seed));
        applied(&input, &StaticWorld::default())
    })
}

/// Payloads of the policy for Kubewarden: every second case is one of policies in CEL.
fn payloads(count: u64) -> Result<(), String> {
    let (generator, mut questions) = (Generator::default(), Questions::new(23));
    let mut guest = Guest::default();
    (0..count).try_for_each(|seed| {
        let input = if seed % 2 == 0 { generator.case(&mut Choices::new(seed)) } else { questions.input() };
        let texts =
            |texts: &[Text]| Value::array(texts.iter().map(|text| Value::from(text.text.as_str())).collect());
        let first = input.resources.first().map_or("", |text| text.text.as_str());
        let resource = engine::yaml::parse_one(first).unwrap_or_default();
        let settings = [("policies", texts(&input.policies)), ("exceptions", texts(&input.exceptions))];
        let settings = Value::object(settings.into_iter().collect::<Map>());
        let payload = [("settings", settings), ("request", creating(&resource))];
        let payload = to_json(&Value::object(payload.into_iter().collect::<Map>()));
        let answer = guest.call("validate", payload.as_bytes(), &Nowhere)?;
        print(&("validate", payload, String::from_utf8_lossy(&answer).into_owned()))
    })
}

fn about_cel(count: u64) -> Result<(), String> {
    let mut questions = Questions::new(19);
    let world = StaticWorld { extension: Some(engine_celpolicy::WITHOUT_STEPS), ..StaticWorld::default() };
    (0..count).try_for_each(|number| {
        if number % 2 == 0 {
            return applied(&questions.input(), &world);
        }
        let question = questions.question();
        let answer = json::answer(&question, &world)?;
        print(&("cel", question, answer))
    })
}

fn applied(input: &Input, world: &StaticWorld) -> Result<(), String> {
    let text = |value: serde_json::Result<String>| value.map_err(|error| error.to_string());
    let output = text(serde_json::to_string(&engine_lenses::run(input, world)))?;
    print(&("apply", text(serde_json::to_string(input))?, output))
}

fn print(line: &(&str, String, String)) -> Result<(), String> {
    let line = serde_json::to_string(line).map_err(|error| error.to_string())?;
    println!("{line}");
    Ok(())
}
