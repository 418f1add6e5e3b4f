//! `podsieve ask`: questions of other programs, one by one and line by line.
//!
//! In: the built `podsieve`, JSON on standard input. Out: a failure where an answer, an error or the exit code differs.

use engine_json::{Value, parse};
use tests::program;
use tests::terminal::{POD, POLICY, Run, run};

fn asked(arguments: &[&str], input: &str) -> Option<Run> {
    let program = program::find_or_skip()?;
    Some(run(&program, &[], &[&["ask"], arguments].concat(), input))
}

fn input() -> String {
    let text = |text: &str| engine_json::to_json(&Value::from(text));
    format!(
        "{{\"policies\":[{{\"name\":\"p.yaml\",\"text\":{}}}],\"resources\":[{{\"name\":\"r.yaml\",\"text\":{}}}]}}",
        text(POLICY),
        text(POD)
    )
}

fn values(lines: &str) -> Vec<Value> {
    lines.lines().filter_map(|line| parse(line).ok()).collect()
}

#[test]
fn one_question_gives_the_answer_of_the_library() {
    let Some(run) = asked(&["apply"], &input()) else { return };
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let own: podsieve::wire::Input = serde_json::from_str(&input()).unwrap();
    let answer = serde_json::to_string(&podsieve::decide(&own, &podsieve::world())).unwrap();
    assert_eq!(run.out, answer + "\n");
    assert!(run.out.contains("\"fail\":1"), "{}", run.out);
}

#[test]
fn each_line_has_its_answer_and_its_id() {
    let question = |id: &str| format!("{{\"id\":{id},\"question\":\"apply\",\"input\":{}}}\n", input());
    let lines = question("1") + "\n" + &question("[\"a\"]") + "{\"question\":\"version\"}";
    let Some(run) = asked(&["--lines"], &lines) else { return };
    assert_eq!(run.code, 0, "{}", run.err);
    let answers = values(&run.out);
    assert_eq!(answers.len(), 3);
    let ids: Vec<Option<String>> = answers
        .iter()
        .map(|answer| answer.as_object().and_then(|fields| fields.get("id")).map(engine_json::to_json))
        .collect();
    assert_eq!(ids, [Some("1".to_owned()), Some("[\"a\"]".to_owned()), None]);
    let [first, second, _] = answers.as_slice() else { panic!() };
    assert_eq!(first.find(&["answer"]), second.find(&["answer"]));
}

#[test]
fn what_is_no_question_is_named_and_the_next_one_answered() {
    let lines = "nonsense\n[]\n{\"question\":\"no\"}\n{\"question\":1}\n{\"id\":7,\"question\":\"apply\",\"input\":{\"policiez\":[]}}\n\
                 {\"question\":\"version\",\"more\":1}\n{\"question\":\"version\"}\n";
    let Some(run) = asked(&["--lines"], lines) else { return };
    assert_eq!(run.code, 1);
    let words = [
        "the line is not JSON: ",
        "the line is no object",
        "there is no question `no`: ask apply, explain, ",
        "the field `question` is missing, or no string",
        "input: unknown field `policiez`, expected one of `host`, ",
        "unknown field `more`, expected one of id, question, input",
        "\"podsieve\":",
    ];
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines.len(), words.len(), "{}", run.out);
    for (line, words) in lines.iter().zip(words) {
        assert!(line.contains(words), "{line}");
    }
    assert!(run.out.contains("{\"id\":7,\"error\":"), "{}", run.out);
}

#[test]
fn a_name_that_is_no_question_reads_no_input() {
    let Some(run) = asked(&["nothing"], "") else { return };
    assert_eq!(run.code, 1);
    assert_eq!(run.err, "Error: there is no question `nothing`: see `podsieve ask --list`\n");
}

#[test]
fn all_questions_are_listed() {
    let Some(run) = asked(&["--list"], "") else { return };
    let names: Vec<&str> = run.out.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, podsieve::QUESTIONS.map(|question| question.name));
}
