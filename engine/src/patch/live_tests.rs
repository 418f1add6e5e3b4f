//! What is applied in place says what the long way says.

use super::{Applied, Live, apply_json6902, apply_plain_json6902, apply_strategic};
use engine_json::{Map, Value, parse};

/// Numbers without an order, the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn of<'l>(&mut self, list: &[&'l str]) -> &'l str {
        list[usize::try_from(self.below(list.len() as u64)).unwrap()]
    }
}

const RESOURCES: [&str; 5] = [
    r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"a":"1"}},"spec":{"containers":[
        {"name":"a","image":"x","ports":[{"containerPort":80}]},{"name":"b","image":"y","env":[{"name":"E","value":"1"}]},
        {"name":"c","image":"z","securityContext":{"runAsUser":5}}],"volumes":[{"name":"v","emptyDir":{}}]}}"#,
    r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":2,"template":{"spec":{
        "containers":[{"name":"a","image":"x"},{"name":"b"}]}}}}"#,
    r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"a"},{"name":"a","image":"q"}]}}"#,
    r#"{"apiVersion":"example/v1","kind":"Own","metadata":{"name":"o"},"spec":{"containers":[{"name":"a"},{"name":"b"}]}}"#,
    r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"data":{"a":"1","n":null,"e":{}}}"#,
];

const FIELDS: [&str; 16] = [
    r#""image":"new""#,
    r#""image":"new","tty":true"#,
    r#""securityContext":{"runAsUser":7}"#,
    r#""securityContext":{"runAsUser":"7","drop":["ALL"]}"#,
    r#""env":[{"name":"E","value":2}]"#,
    r#""env":[{"name":"F","value":"3"}]"#,
    r#""ports":[{"containerPort":80,"protocol":"TCP"}]"#,
    r#""image":null"#,
    r#""image":"(x)""#,
    r#""+(image)":"w""#,
    r#""$patch":"delete""#,
    r#""tty":{}"#,
    r#""args":[]"#,
    r#""kind":"x""#,
    r#""(image)":"x","tty":true"#,
    r#""image":["a"]"#,
];

fn patch(dice: &mut Dice) -> Value {
    let item = |dice: &mut Dice| {
        let key = dice.of(&["name", "name", "(name)"]);
        let name = dice.of(&["a", "b", "c", "d", "*"]);
        let fields = dice.of(&FIELDS);
        format!(r#"{{"{key}":"{name}",{fields}}}"#)
    };
    let list = if dice.below(4) == 0 { format!("{},{}", item(dice), item(dice)) } else { item(dice) };
    let text = match dice.below(6) {
        0 => format!(r#"{{"metadata":{{"labels":{{"{}":"2"}}}}}}"#, dice.of(&["a", "b"])),
        1 => format!(r#"{{"spec":{{"template":{{"spec":{{"containers":[{list}]}}}}}}}}"#),
        2 => format!(
            r#"{{"data":{{{}}}}}"#,
            dice.of(&[r#""a":2"#, r#""n":"x""#, r#""e":{"z":1}"#, r#""b":true"#])
        ),
        _ => format!(r#"{{"spec":{{"containers":[{list}]}}}}"#),
    };
    parse(&text).unwrap()
}

#[test]
fn merges_in_place_say_what_merges_of_the_whole_say() {
    let mut dice = Dice(7);
    let mut in_place = 0;
    for _ in 0..3_000 {
        let mut whole = parse(dice.of(&RESOURCES)).unwrap();
        let mut live = Live::new(&whole);
        for _ in 0..4 {
            let patch = patch(&mut dice);
            let shown = format!("{whole:?} {patch:?}");
            let wanted = apply_strategic(&whole, &patch);
            match (wanted, live.apply(&patch)) {
                (Ok(None), Ok(Applied::Nothing)) => {}
                (Ok(Some(merged)), Ok(applied @ (Applied::Fields | Applied::Whole(_)))) => {
                    in_place += u32::from(matches!(applied, Applied::Fields));
                    // Not only equal, also in the same order.
                    assert_eq!(format!("{:?}", live.value()), format!("{merged:?}"), "{shown}");
                    whole = merged;
                }
                (Err(wanted), Err(got)) => assert_eq!(wanted, got, "{shown}"),
                (wanted, got) => panic!("{shown}: {wanted:?}, in place {:?}", got.map(|_| live.value())),
            }
        }
    }
    assert!(in_place > 600, "{in_place}");
}

#[test]
fn json_patches_in_place_say_what_the_long_way_says() {
    let mut dice = Dice(11);
    let mut in_place = 0;
    for _ in 0..4_000 {
        let mut whole = parse(dice.of(&RESOURCES)).unwrap();
        for _ in 0..4 {
            let operation = |dice: &mut Dice| {
                let path = dice.of(&[
                    "/metadata/labels/a",
                    "/metadata/labels/b",
                    "/spec/containers/0/image",
                    "/spec/containers/1/image",
                    "/spec/containers/0",
                    "/spec/containers/-",
                    "/spec/containers/3",
                    "/spec/containers/01/image",
                    "/data/n",
                    "/data/e",
                    "/kind",
                    "/spec/containers/-1/image",
                    "/a~1b",
                    "/spec//x",
                ]);
                let value = dice.of(&[
                    "\"x\"",
                    "1",
                    "2.5",
                    "null",
                    "{\"name\":\"z\",\"image\":\"x\"}",
                    "[1]",
                    "{\"b\":1,\"a\":2}",
                ]);
                let op = dice.of(&["add", "replace", "remove", "test"]);
                let fields =
                    [("op", Value::from(op)), ("path", Value::from(path)), ("value", parse(value).unwrap())];
                Value::object(fields.into_iter().collect::<Map>())
            };
            let count = 1 + dice.below(3);
            let list: Vec<Value> = (0..count).map(|_| operation(&mut dice)).collect();
            let text = engine_json::to_json(&Value::array(list));
            let wanted = apply_json6902(&whole, &text);
            let mut resource = whole.clone();
            if let Some(is_changed) =
                (!whole.has_floats()).then(|| apply_plain_json6902(&mut resource, &text)).flatten()
            {
                in_place += 1;
                assert_eq!(
                    Ok(is_changed),
                    wanted.as_ref().map(Option::is_some).map_err(|_| ()),
                    "{whole:?} {text}"
                );
                let merged = wanted.as_ref().ok().cloned().flatten().unwrap_or_else(|| whole.clone());
                assert_eq!(format!("{resource:?}"), format!("{merged:?}"), "{whole:?} {text}");
            } else {
                assert_eq!(resource, whole);
            }
            whole = wanted.ok().flatten().unwrap_or(whole);
        }
    }
    assert!(in_place > 250, "{in_place}");
}
