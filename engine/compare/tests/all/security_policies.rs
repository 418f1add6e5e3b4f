//! PodSecurityPolicies that differ in one field.

use engine_compare::{Grade, Options, compare};
use engine_lenses::wire::Text;

fn side(fields: &str) -> Vec<Text> {
    let text = format!(
        "{{apiVersion: policy/v1beta1, kind: PodSecurityPolicy, metadata: {{name: r}}, spec: {{{fields} privileged: false, \
         volumes: ['*'], runAsUser: {{rule: RunAsAny}}, seLinux: {{rule: RunAsAny}}, supplementalGroups: {{rule: RunAsAny}}, \
         fsGroup: {{rule: RunAsAny}}}}}}"
    );
    vec![Text { name: "psp.yaml".into(), text }]
}

#[test]
fn a_difference_in_one_field_is_found() {
    let world = engine::world::StaticWorld::default();
    let options = Options { mutants: 0, ..Options::default() };
    for (old, new) in [
        ("forbiddenSysctls: ['net.*'],", "forbiddenSysctls: [net.core.somaxconn],"),
        ("forbiddenSysctls: [kernel.shm_rmid_forced],", ""),
        ("readOnlyRootFilesystem: false,", "readOnlyRootFilesystem: true,"),
    ] {
        let answer = compare(&side(old), &side(new), &options, &world, &mut |_| true);
        assert_eq!(answer.grade, Grade::Different, "{old} {new}");
    }
}
