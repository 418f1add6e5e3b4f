//! What the CLI answers where a function asks for a cluster or a registry.

use engine::world::World;
use engine_cel::error::{Error, Outcome};
use engine_cel::function::Outside;
use engine_cel::value::{Timestamp, Value};

/// The CLI without a context file: objects are not there, lists cannot be had, servers are not asked.
pub struct CliWorld<'w> {
    /// The host's answers.
    pub world: &'w dyn World,
}

impl Outside for CliWorld<'_> {
    fn ask(&self, function: &str, args: &[Value<'_>]) -> Outcome<'static> {
        let text = |at: usize| args.get(at).and_then(Value::as_str).unwrap_or("");
        match function {
            "time.now" => {
                let now = self.world.now();
                let nanoseconds = u32::try_from(now.rem_euclid(1_000_000_000)).unwrap_or(0);
                let seconds = now.div_euclid(1_000_000_000);
                Ok(Value::Timestamp(Timestamp { seconds, nanoseconds, offset: 0 }))
            }
            "random" => Ok(Value::Uint(self.world.random())),
            // Kyverno: pkg/cel/libs/fake_context.go.
            "resource.get" | "resource.getHere" | "globalContext.get" => Ok(Value::Null),
            "resource.list" | "resource.listHere" => Err(Error::text(listed(text(0), text(1)))),
            "resource.post" | "resource.toGVR" => Err(Error::text("internal error: not implemented")),
            "image.getMetadata" => {
                let reference = text(0);
                Err(Error::text(format!(
                    "failed to get image data: image data for {reference} not found in the context"
                )))
            }
            other => Err(Error::text(format!("{other}: not decided, no server is asked here"))),
        }
    }
}

fn listed(api_version: &str, resource: &str) -> String {
    if api_version.matches('/').count() > 1 {
        return format!("failed to list resource: unexpected GroupVersion string: {api_version}");
    }
    format!("failed to list resource: {resource} resource not found")
}
